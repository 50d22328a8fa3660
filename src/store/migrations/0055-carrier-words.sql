-- What a carrier says about a call besides its code, and about the right of whoever calls us to their number (STIR/SHAKEN).
alter table calls add column carrier_text text;
alter table calls add column attestation jsonb;
