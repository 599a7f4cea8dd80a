-- People and apps: users with their sessions under the reserved tenant, memberships and OAuth in the tenant.

-- tenant_ids is a hint where to look; authority is the membership in that tenant.
CREATE TABLE users (
  tenant_id text NOT NULL,
  user_id text NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  status text NOT NULL,
  tenant_ids text[] NOT NULL,
  password_hash text,
  password_changed_at timestamptz,
  totp_secret text,
  totp_pending text,
  totp_enabled_at timestamptz,
  totp_last_step bigint NOT NULL,
  created_at timestamptz NOT NULL,
  last_login_at timestamptz,
  CONSTRAINT users_pk PRIMARY KEY (tenant_id, user_id),
  CONSTRAINT users_email_unique UNIQUE (tenant_id, email_key)
);

CREATE TABLE recovery_codes (
  tenant_id text NOT NULL,
  user_id text NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamptz,
  CONSTRAINT recovery_codes_pk PRIMARY KEY (tenant_id, user_id, code_hash)
);

-- The cookie is never stored, only its hash. A row that is gone is a session that has ended.
CREATE TABLE sessions (
  tenant_id text NOT NULL,
  session_id text NOT NULL,
  token_hash bytea NOT NULL,
  csrf_token text NOT NULL,
  user_id text NOT NULL,
  stage text NOT NULL,
  active_tenant text,
  failed_codes integer NOT NULL,
  address text NOT NULL,
  device text NOT NULL,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  authenticated_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT sessions_pk PRIMARY KEY (tenant_id, session_id),
  CONSTRAINT sessions_token_unique UNIQUE (tenant_id, token_hash)
);
CREATE INDEX sessions_user ON sessions (tenant_id, user_id, created_at);
CREATE INDEX sessions_expiry ON sessions (tenant_id, expires_at);

CREATE TABLE login_throttles (
  tenant_id text NOT NULL,
  throttle text NOT NULL,
  failures integer NOT NULL,
  last_failed_at timestamptz NOT NULL,
  blocked_until timestamptz NOT NULL,
  CONSTRAINT login_throttles_pk PRIMARY KEY (tenant_id, throttle)
);
CREATE INDEX login_throttles_age ON login_throttles (tenant_id, last_failed_at);

-- Invitations and resets: single use, by the hash of the token in the link.
CREATE TABLE account_links (
  tenant_id text NOT NULL,
  link_id text NOT NULL,
  token_hash bytea NOT NULL,
  purpose text NOT NULL,
  user_id text NOT NULL,
  for_tenant text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT account_links_pk PRIMARY KEY (tenant_id, link_id),
  CONSTRAINT account_links_token_unique UNIQUE (tenant_id, token_hash)
);
CREATE INDEX account_links_user ON account_links (tenant_id, user_id, purpose);
CREATE INDEX account_links_expiry ON account_links (tenant_id, expires_at);

-- membership_id is new whenever someone is let in anew, so that what hung on the old one stays dead.
CREATE TABLE memberships (
  tenant_id text NOT NULL,
  user_id text NOT NULL,
  membership_id text NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  status text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT memberships_pk PRIMARY KEY (tenant_id, user_id)
);

CREATE TABLE account_policies (
  tenant_id text NOT NULL,
  require_second_factor boolean NOT NULL,
  CONSTRAINT account_policies_pk PRIMARY KEY (tenant_id)
);

CREATE TABLE oauth_apps (
  tenant_id text NOT NULL,
  client_id text NOT NULL,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  scopes text[] NOT NULL,
  secret_hash bytea NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  rotated_at timestamptz,
  CONSTRAINT oauth_apps_pk PRIMARY KEY (tenant_id, client_id)
);

-- One approval by one person, and the family of every token that came of it. This row is the family's lock.
CREATE TABLE oauth_grants (
  tenant_id text NOT NULL,
  grant_id text NOT NULL,
  client_id text NOT NULL,
  user_id text NOT NULL,
  membership_id text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_for text,
  CONSTRAINT oauth_grants_pk PRIMARY KEY (tenant_id, grant_id)
);
CREATE INDEX oauth_grants_user ON oauth_grants (tenant_id, user_id, grant_id);
CREATE INDEX oauth_grants_app ON oauth_grants (tenant_id, client_id, grant_id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (tenant_id, expires_at);

CREATE TABLE oauth_codes (
  tenant_id text NOT NULL,
  code_hash bytea NOT NULL,
  grant_id text NOT NULL,
  client_id text NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT oauth_codes_pk PRIMARY KEY (tenant_id, code_hash)
);
CREATE INDEX oauth_codes_grant ON oauth_codes (tenant_id, grant_id);

-- successor_hash is the refresh token this one was exchanged for.
CREATE TABLE oauth_tokens (
  tenant_id text NOT NULL,
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  grant_id text NOT NULL,
  client_id text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  successor_hash bytea,
  revoked_at timestamptz,
  CONSTRAINT oauth_tokens_pk PRIMARY KEY (tenant_id, token_hash)
);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (tenant_id, grant_id);
CREATE INDEX oauth_tokens_expiry ON oauth_tokens (tenant_id, expires_at);
