-- What a subscription missed, by how it was: the failed ones are found among very many that were skipped.
-- Built before the old one goes: only that keeps readers waiting.
CREATE INDEX webhook_deliveries_missed_status ON webhook_deliveries (tenant_id, webhook_id, status, delivery_id)
  WHERE status IN ('failed', 'skipped');

-- Emptied when a person was erased: few, so what is left of a long log is counted without looking at every body.
CREATE INDEX webhook_messages_erased ON webhook_messages (tenant_id, message_id) WHERE body = '';

-- How far the messages about the person are emptied: the key of the last delivery looked at, as JSON; empty before the
-- first, null when all of them are. Likewise the events of somebody with very many, by the key of the last one.
ALTER TABLE erasures ADD COLUMN messages_to text, ADD COLUMN events_to text;
DROP INDEX erasures_open;
CREATE INDEX erasures_open ON erasures (tenant_id, employee_id)
  WHERE finished_at IS NULL OR messages_to IS NOT NULL OR events_to IS NOT NULL;

DROP INDEX webhook_deliveries_missed;
