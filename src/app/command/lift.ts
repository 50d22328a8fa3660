import { deleteCampaign, pauseCampaign, resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import {
  deleteVoiceCampaign,
  pauseVoiceCampaign,
  resumeVoiceCampaign,
} from "#operations/campaigns/control-voice-campaign.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import type { Context } from "#operations/context.ts";
import { type Account, type Lift, liftFence } from "#operations/restore/lift-fence.ts";
import type { ReadJournals } from "#ports/journal.ts";

/** What the journal says was done since is done again by the operations that did it. */
const REDO: Lift["redo"] = {
  erase: deleteContact,
  control: {
    sms: { pause: pauseCampaign, resume: resumeCampaign, delete: deleteCampaign },
    voice: { pause: pauseVoiceCampaign, resume: resumeVoiceCampaign, delete: deleteVoiceCampaign },
  },
};

/** Lifts the restore fence, as operations/restore/lift-fence.ts has it. */
export const lift = (ctx: Context, read: ReadJournals, options: Omit<Lift, "redo">): Promise<Account> =>
  liftFence(ctx, read, { ...options, redo: REDO });
