-- Transactions that had looked at subscriptions when the recovery was asked for: it begins once they are over.
ALTER TABLE webhook_recoveries ADD COLUMN waits_for text[] NOT NULL DEFAULT '{}';
