-- A webhook made through an OAuth grant ends with it; created_by then names the app. Others hang on nothing.
ALTER TABLE webhooks ADD COLUMN grant_id text;
CREATE INDEX webhooks_grant ON webhooks (tenant_id, grant_id) WHERE grant_id IS NOT NULL;

-- Whether API keys are revoked when whoever made them leaves; otherwise they go on, and are marked.
ALTER TABLE tenants ADD COLUMN revoke_keys_of_leavers boolean NOT NULL DEFAULT false;
