-- Found without reading all there are: a challenge that has redeemed a code, and approvals that nothing came of.
CREATE INDEX oauth_codes_spent ON oauth_codes (tenant_id, client_id, code_challenge) WHERE used_at IS NOT NULL;
CREATE INDEX oauth_grants_unused ON oauth_grants (tenant_id, user_id, created_at) WHERE last_used_at IS NULL;
