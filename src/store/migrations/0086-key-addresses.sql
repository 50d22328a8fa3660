-- Addresses and networks from which a key may be used; null: from anywhere. Read with the key's row, which every request reads anyway.
alter table api_keys add column allowed_addresses text[];
