-- Every process that holds calls looks for the trunks that are connected each second.
create index carrier_accounts_connected_trunks on carrier_accounts (tenant_id) where kind = 'sip' and status = 'connected';
