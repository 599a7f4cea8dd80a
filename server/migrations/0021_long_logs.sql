-- Lists of long logs, found by what they are filtered and sorted by: audit entries by action, by who acted and by time.
-- Of deliveries, which every event adds to, only the seldom ones: attempted more than once, or of a kind that scoring
-- does not send.
CREATE INDEX audit_entries_action ON audit_entries (tenant_id, action, seq);
CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor_id, seq);
CREATE INDEX audit_entries_time ON audit_entries (tenant_id, at, seq);
CREATE INDEX webhook_deliveries_repeated ON webhook_deliveries (tenant_id, webhook_id, attempts, delivery_id)
  WHERE attempts > 1;
CREATE INDEX webhook_deliveries_seldom ON webhook_deliveries (tenant_id, webhook_id, event, delivery_id)
  WHERE event NOT IN ('event.ingested', 'score.band_changed', 'score.updated');
