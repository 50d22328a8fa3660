-- What calls need beside what all outreach needs: an AI voice is an artificial one, and asks for more than a text does.

-- The least basis for a call; null, as before there was this: none.
alter table screening_rules add column require_voice_consent text
  check (require_voice_consent in ('none', 'inquiry', 'express', 'express_written'));
