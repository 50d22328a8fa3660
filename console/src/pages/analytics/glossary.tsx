import { Fields } from "#parts/show/fields.tsx";

/** What each measure means, in the words of the page. */
export function Glossary() {
  return (
    <Fields
      items={[
        ["Texts sent", "Texts that the carrier accepted, by the time at which they were sent"],
        ["Texts delivered", "Sent texts that the carrier reports as arrived at the phone"],
        ["Texts failed", "Texts that the carrier refused or could not deliver"],
        ["Texted", "Contacts whose first text of a campaign was sent"],
        [
          "Reply rate",
          "Contacts who replied for the first time, of those texted. A reply may come on a later day than the text",
        ],
        [
          "Opt-out rate",
          "Contacts who opted out after an SMS campaign contacted them last, of those texted. Carriers look at more than 2 %",
        ],
        [
          "Answered",
          "Calls that somebody picked up, whether they said anything or not. Answer rate: of all calls placed",
        ],
        ["Voicemail", "Calls that were answered by a mailbox"],
        ["Met the goal", "Calls that met the agent's objective"],
        ["Average length", "From the answer to the end, of answered calls"],
        [
          "Response time",
          "From the end of the contact's speech to the agent's first sound; estimated from counts by time classes",
        ],
        ["Cost", "Texts by their segments, calls by carrier, speech and language model, at the configured prices"],
      ]}
    />
  );
}
