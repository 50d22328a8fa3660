import type { ComponentType } from "react";
import {
  IconAddressBook,
  IconChartLine,
  IconChecklist,
  IconCode,
  IconDeviceMobile,
  IconHandStop,
  IconHash,
  IconHome,
  IconListDetails,
  IconListSearch,
  IconMessage2,
  IconMessages,
  IconPhone,
  IconPhoneOutgoing,
  IconPlugConnected,
  IconRobot,
  IconServer2,
  IconTerminal2,
} from "#parts/icons/tabler.ts";

export type Place = {
  path: string;
  label: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** What somebody may also call it in the palette. */
  keywords: string;
  /** It shows what is the whole tenant's. */
  tenantWide?: true;
};

export type Section = { label: string | undefined; places: readonly Place[] };

/** Where one can go, in the order of the navigation and of the palette. */
export const SECTIONS: readonly Section[] = [
  { label: undefined, places: [{ path: "/", label: "Home", icon: IconHome, keywords: "dashboard today health" }] },
  {
    label: "Agents",
    places: [
      { path: "/agents", label: "Agents", icon: IconRobot, keywords: "prompt builder versions voice" },
      { path: "/playground", label: "Playground", icon: IconTerminal2, keywords: "try chat test call" },
    ],
  },
  {
    label: "People",
    places: [
      { path: "/contacts", label: "Contacts", icon: IconAddressBook, keywords: "leads consent erase" },
      { path: "/lists", label: "Lists", icon: IconListDetails, keywords: "import csv upload" },
    ],
  },
  {
    label: "Campaigns",
    places: [
      { path: "/sms-campaigns", label: "SMS campaigns", icon: IconMessage2, keywords: "texts messages send" },
      { path: "/voice-campaigns", label: "Voice campaigns", icon: IconPhoneOutgoing, keywords: "dial call" },
    ],
  },
  {
    label: "Activity",
    places: [
      { path: "/conversations", label: "Conversations", icon: IconMessages, keywords: "threads replies take over" },
      { path: "/calls", label: "Calls", icon: IconPhone, keywords: "recording transcript" },
      { path: "/extractions", label: "Extractions", icon: IconListSearch, keywords: "fields findings values evidence" },
      { path: "/analytics", label: "Analytics", icon: IconChartLine, keywords: "charts statistics rates cost report" },
    ],
  },
  {
    label: "Operate",
    places: [
      {
        path: "/simulator",
        label: "Phone simulator",
        icon: IconDeviceMobile,
        keywords: "handset test reply",
        tenantWide: true,
      },
      { path: "/numbers", label: "Numbers", icon: IconHash, keywords: "phone area code buy" },
      {
        path: "/carriers",
        label: "Carriers",
        icon: IconPlugConnected,
        keywords: "twilio telnyx smpp sip trunk connect live",
        tenantWide: true,
      },
      {
        path: "/going-live",
        label: "Going live",
        icon: IconChecklist,
        keywords: "checks ready spend limit first hour public address webhook",
        tenantWide: true,
      },
      { path: "/do-not-call", label: "Do not call", icon: IconHandStop, keywords: "opt-out stop dnc" },
      { path: "/developers", label: "Developers", icon: IconCode, keywords: "api keys requests reference curl" },
      { path: "/system", label: "System", icon: IconServer2, keywords: "health nodes jobs version backup retention" },
    ],
  },
];

export const PLACES: readonly Place[] = SECTIONS.flatMap(({ places }) => places);

/** Pages that stand behind tabs of another: the navigation has no room for them, and the palette finds them. */
export const INNER_PLACES: readonly Place[] = [
  { path: "/system/users", label: "Team", icon: IconServer2, keywords: "people users members invite roles" },
  { path: "/system/organizations", label: "Organizations", icon: IconServer2, keywords: "archive" },
  { path: "/system/single-sign-on", label: "Single sign-on", icon: IconServer2, keywords: "sso oidc identity login" },
  { path: "/system/activity", label: "Audit log", icon: IconServer2, keywords: "activity changes who did history" },
  { path: "/system/account", label: "Your account", icon: IconServer2, keywords: "password second factor passkey" },
];
