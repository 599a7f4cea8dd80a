-- An event whose details were emptied. Its shares stay as they are: no replay judges it anew.
ALTER TABLE events ADD COLUMN redacted_at timestamptz;
CREATE INDEX events_redacted ON events (tenant_id, employee_id, timestamp, event_id) WHERE redacted_at IS NOT NULL;

-- Which event a message holds, in full.
ALTER TABLE webhook_deliveries ADD COLUMN event_id text;
