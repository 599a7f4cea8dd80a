// Written by npm run generate from openapi.json; not edited by hand.

export type AcceptedJob = { job_id: string; status: ("queued" | "running" | "completed" | "failed" | "cancelled") }

export type Action = { id: string; type: ("notify_manager" | "notify_admins" | "assign_training" | "require_mfa_reset" | "restrict_access" | "open_ticket" | "webhook_only"); status: ("awaiting_approval" | "triggered" | "completed" | "failed" | "rejected" | "expired"); employee_id: string; employee_email: string; policy_id: (string | null); parameters: Record<string, unknown>; reason: string; trigger_event: string; event_id: (string | null); previous_score: (number | null); new_score: (number | null); previous_band: ("green" | "yellow" | "orange" | "red" | "critical" | null); new_band: ("green" | "yellow" | "orange" | "red" | "critical" | null); note: string; outcome: string; outcome_note: string; requested_by: string; decided_by: (string | null); finished_by: (string | null); attempts: number; created_at: string; triggered_at: (string | null); finished_at: (string | null); expires_at: (string | null) }

export type ActionList = { data: Array<Action>; pagination: Pagination }

export type AuditEntry = { seq: number; at: string; actor: { kind: string; id: string }; action: string; subject: { kind: string; id: string }; employee_id: (string | null); request_id: string; address: (string | null); before: unknown; after: unknown; truncated: boolean; erased: boolean; hash: string }

export type AuditList = { data: Array<AuditEntry>; pagination: Pagination }

export type BandChanged = { employee_id: string; email: string; previous_score: number; new_score: number; previous_band: ("green" | "yellow" | "orange" | "red" | "critical"); new_band: ("green" | "yellow" | "orange" | "red" | "critical"); trigger_event: string }

export type BandDistribution = { green: BandShare; yellow: BandShare; orange: BandShare; red: BandShare; critical: BandShare }

export type BandShare = { count: number; percentage: number }

export type Delivery = { id: string; webhook_id: string; event: string; status: ("pending" | "retrying" | "delivered" | "failed" | "skipped"); attempts: number; last_response_status: (number | null); last_error: (string | null); next_attempt_at: (string | null); created_at: string }

export type DeliveryAttempt = { attempt: number; started_at: string; ended_at: string; timings: { dns_ms: (number | null); connect_ms: (number | null); first_byte_ms: (number | null); total_ms: (number | null) }; request: { url: string; headers: Record<string, unknown> }; response: ({ status: number; headers: Record<string, unknown>; body: string; encoding: ("utf8" | "base64"); truncated: boolean } | null); stage: ("destination" | "dns" | "connect" | "tls" | "send" | "headers" | "body" | "status" | null); error: (string | null) }

export type DeliveryDetail = { id: string; webhook_id: string; event: string; status: ("pending" | "retrying" | "delivered" | "failed" | "skipped"); attempts: number; last_response_status: (number | null); last_error: (string | null); next_attempt_at: (string | null); created_at: string; request: { body: string }; attempt_log: Array<DeliveryAttempt> }

export type DeliveryList = { data: Array<Delivery>; pagination: Pagination }

export type DepartmentScores = { data: Array<{ department: string; average_score: number; employee_count: number; band_distribution: BandDistribution }> }

export type DraftDryRun = { rule_id: null; events_matched: number; employees_affected: number; average_impact: number; score_changes: Array<ScoreChange>; truncated?: boolean; scores_before?: Array<number>; scores_after?: Array<number> }

export type DryRun = { rule_id: string; events_matched: number; employees_affected: number; average_impact: number; score_changes: Array<ScoreChange>; truncated?: boolean; scores_before?: Array<number>; scores_after?: Array<number> }

export type Employee = { id: string; email: string; first_name: string; last_name: string; department: string; title: string; location: string; manager_email: string; score: number; band: ("green" | "yellow" | "orange" | "red" | "critical"); score_history: Array<ScorePoint>; status: ("active" | "inactive"); integrations: Array<string>; last_event_at: (string | null); created_at: string }

export type EmployeeBatchResult = { data: Array<{ index: number; status: number; employee?: EmployeeSummary; error?: { code: string; message: string; details?: Array<ErrorFault> } }> }

export type EmployeeList = { data: Array<EmployeeSummary>; pagination: Pagination }

export type EmployeeSummary = { id: string; email: string; first_name: string; last_name: string; department: string; manager_email: string; score: number; band: ("green" | "yellow" | "orange" | "red" | "critical"); status: ("active" | "inactive"); last_event_at: (string | null); created_at: string }

export type ErasedPerson = { id: string; email: string; erased_at: string; status: ("running" | "completed") }

export type Error = { error: { code: ("VALIDATION_ERROR" | "UNAUTHORIZED" | "FORBIDDEN" | "REAUTHENTICATION_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "DEFAULT_RULE" | "JOB_RUNNING" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL_ERROR" | "UNAVAILABLE"); message: string; request_id: string; details?: Array<ErrorFault> } }

export type ErrorFault = { path: string; message: string }

export type Event = { id: string; type: string; source: string; employee_id: string; employee_email: string; impact: number; current_impact: number; timestamp: string; details: Record<string, unknown>; rules_matched: Array<string>; retracted_at?: string; redacted_at?: string }

export type EventBatchResult = { data: Array<{ index: number; status: number; event?: EventResult; error?: { code: string; message: string; details?: Array<ErrorFault> } }> }

export type EventDetail = { id: string; type: string; source: string; employee_id: string; employee_email: string; impact: number; current_impact: number; timestamp: string; details: Record<string, unknown>; rules_matched: Array<string>; retracted_at?: string; redacted_at?: string; retraction_reason?: string; rules_cooling: Array<{ rule_id: string; until: string }> }

export type EventList = { data: Array<Event>; pagination: Pagination }

export type EventResult = { id: string; type: string; employee_id: string; impact: number; rules_matched: Array<string>; score_before: number; score_after: number }

export type EventStatistics = { data: Array<{ type: string; source?: string; department?: string; count: number; affected_employees: number; average_impact: number }> }

export type ExplainedShare = { kind: ("rule" | "clean_streak" | "manual"); event_id: string; event_type: string; source: string; timestamp: string; rule_id: (string | null); rule_name: (string | null); impact: number; current_impact: number; dated_at: string }

export type Explanation = { employee_id: string; at: string; status: ("active" | "inactive"); frozen_at?: string; score: number; band: ("green" | "yellow" | "orange" | "red" | "critical"); exact_score: number; starting_score: number; shares: Array<ExplainedShare>; truncated?: boolean; rest: { count: number; current_impact: number }; older_than_retention: number; totals: { risk: number; recovery: number }; cap_adjustment: number; edge_adjustment: number }

export type Health = { status: string }

export type InboundEvent = { source: string; event_type: string; timestamp?: string; employee: { email: string }; details?: { description?: string; severity?: string; metadata?: Record<string, unknown> }; external_id?: string }

export type Me = { tenant: { id: string; name: string }; plan: ("starter" | "professional" | "enterprise"); actor: { kind: string; id: string }; scopes: Array<string>; limits: { requests: number; burst: number; scores: number; inbound: number; outbound: number; recalculations: number; recalculation_window_hours: number } }

export type NewEmployeeBatch = { employees: Array<Record<string, unknown>> }

export type NewEvent = { type: string; employee_email: string; timestamp?: string; details?: { description?: string; severity?: string; source_system?: string }; external_id?: string }

export type NewEventBatch = { events: Array<Record<string, unknown>> }

export type Pagination = { page: number; per_page: number; total: number; total_pages: number }

export type PersonExport = { exported_at: string; employee: Record<string, unknown>; score_history: Array<Record<string, unknown>>; events: Array<Record<string, unknown>>; shares: Array<Record<string, unknown>>; actions: Array<Record<string, unknown>>; unmatched_events: Array<Record<string, unknown>>; messages: Array<Record<string, unknown>>; audit: Array<Record<string, unknown>> }

export type Readiness = { status: string }

export type RecalculationJob = { job_id: string; status: ("queued" | "running" | "completed" | "failed" | "cancelled"); scope: (string | { department: string }); dry_run: boolean; employees_total: number; employees_processed: number; scores_changed: number; created_at: string; started_at: (string | null); finished_at: (string | null); error: (string | null); result?: { bands_before: { green: number; yellow: number; orange: number; red: number; critical: number }; bands_after: { green: number; yellow: number; orange: number; red: number; critical: number }; score_changes: Array<ScoreChange>; truncated?: boolean; scores_before?: Array<number>; scores_after?: Array<number> } }

export type RetractedEvent = { id: string; type: string; source: string; employee_id: string; employee_email: string; impact: number; current_impact: number; timestamp: string; details: Record<string, unknown>; rules_matched: Array<string>; retracted_at: string; redacted_at?: string; reason: string; score_before: number; score_after: number }

export type RetractionJob = { job_id: string; status: ("queued" | "running" | "completed" | "failed" | "cancelled"); reason: string; filter: { type?: string; source?: string; employee_id?: string; from?: string; to?: string; conditions?: Record<string, unknown> }; dry_run: boolean; employees_total: number; employees_processed: number; events_matched: number; employees_affected: number; scores_changed: number; created_at: string; started_at: (string | null); finished_at: (string | null); error: (string | null); result?: { bands_before: { green: number; yellow: number; orange: number; red: number; critical: number }; bands_after: { green: number; yellow: number; orange: number; red: number; critical: number }; score_changes: Array<ScoreChange>; truncated?: boolean; scores_before?: Array<number>; scores_after?: Array<number> } }

export type Rule = { id: string; name: string; event_type: string; category: ("identity" | "email" | "endpoint" | "training" | "custom"); impact: number; cooldown: string; conditions: Record<string, unknown>; priority: number; exclusive: boolean; is_default: boolean; status: ("active" | "inactive"); created_at: string }

export type RuleList = { data: Array<Rule>; pagination: Pagination }

export type ScoreChange = { employee_id: string; current_score: number; projected_score: number }

export type ScoreDistribution = { buckets: Array<{ range: string; count: number }> }

export type ScoreForecast = { employee_id: string; status: ("active" | "inactive"); score: number; band: ("green" | "yellow" | "orange" | "red" | "critical"); from: string; until: string; supposed?: { type: string; impact: number; rules_matched: Array<string>; score_before: number; score_after: number }; changes: Array<{ at: string; reason: ("decay" | "clean_streak" | "event"); previous_score: number; score: number; previous_band: ("green" | "yellow" | "orange" | "red" | "critical"); band: ("green" | "yellow" | "orange" | "red" | "critical") }>; streaks: Array<{ at: string; impact: number; rules_matched: Array<string>; score_before: number; score_after: number }>; back_in_band: Array<{ band: ("green" | "yellow" | "orange" | "red" | "critical"); at: (string | null); date: (string | null) }> }

export type ScoreHistory = { data: Array<ScorePoint> }

export type ScorePoint = { timestamp: string; score: number; band: ("green" | "yellow" | "orange" | "red" | "critical") }

export type ScoreSummary = { average_score: number; median_score: number; total_employees: number; band_distribution: BandDistribution; trend: ScoreTrend }

export type ScoreTrend = { direction: ("improving" | "declining" | "stable"); change: number; period: string }

export type ScoreTrends = { data: Array<{ date: string; average_score: number; median_score: number; employee_count: number }> }

export type ScoreUpdated = { employee_id: string; email: string; previous_score: number; new_score: number; change: number; reason: ("event" | "decay" | "recalculation" | "retraction" | "adjustment" | "reactivation" | "settings"); trigger_event: string }

export type TopRisks = { data: Array<{ employee_id: string; email: string; score: number; band: ("green" | "yellow" | "orange" | "red" | "critical"); score_change_30d: number; top_risk_factor: string }> }

export type UnmatchedEvent = { id: string; source: string; event_type: string; timestamp: string; employee: { email: string }; details: Record<string, unknown>; external_id: (string | null); received_at: string; expires_at: string }

export type UnmatchedList = { data: Array<UnmatchedEvent>; pagination: Pagination }

export type Webhook = { id: string; url: string; description: string; events: Array<("score.updated" | "score.band_changed" | "action.triggered" | "action.completed" | "event.ingested" | "employee.created" | "employee.deactivated")>; status: ("enabled" | "disabled"); disabled_reason: ("manual" | "failures" | "gone" | null); disabled_at: (string | null); failures: number; rotation_ends_at: (string | null); new_secret_activated: boolean; created_by: string; created_at: string; updated_at: string }

export type WebhookList = { data: Array<Webhook>; pagination: Pagination }

export type WebhookRecovery = { id: string; webhook_id: string; status: ("queued" | "running" | "completed" | "failed"); since: string; total: number; processed: number; created_at: string; started_at: (string | null); finished_at: (string | null); error: (string | null) }

export type WebhookTest = { webhook_id: string; message: string }

export type WebhookWithSecret = { id: string; url: string; description: string; events: Array<("score.updated" | "score.band_changed" | "action.triggered" | "action.completed" | "event.ingested" | "employee.created" | "employee.deactivated")>; status: ("enabled" | "disabled"); disabled_reason: ("manual" | "failures" | "gone" | null); disabled_at: (string | null); failures: number; rotation_ends_at: (string | null); new_secret_activated: boolean; created_by: string; created_at: string; updated_at: string; secret: string }

export type Operations = {
  'GET /healthz': { query: {  }; body: undefined; answer: Health }
  'GET /readyz': { query: {  }; body: undefined; answer: Readiness }
  'GET /v1/actions': { query: { page?: number; per_page?: number; sort?: ("created_at" | "type" | "status" | "email"); order?: ("asc" | "desc"); employee_id?: string; type?: ("notify_manager" | "notify_admins" | "assign_training" | "require_mfa_reset" | "restrict_access" | "open_ticket" | "webhook_only"); status?: ("awaiting_approval" | "triggered" | "completed" | "failed" | "rejected" | "expired"); from?: string; to?: string }; body: undefined; answer: ActionList }
  'POST /v1/actions': { query: {  }; body: { employee_id: string; type: ("notify_manager" | "notify_admins" | "assign_training" | "require_mfa_reset" | "restrict_access" | "open_ticket" | "webhook_only"); parameters?: Record<string, unknown>; note?: string }; answer: Action }
  'GET /v1/actions/{id}': { query: {  }; body: undefined; answer: Action }
  'POST /v1/actions/{id}/approve': { query: {  }; body: { note?: string }; answer: Action }
  'POST /v1/actions/{id}/complete': { query: {  }; body: { outcome?: string; note?: string }; answer: Action }
  'POST /v1/actions/{id}/fail': { query: {  }; body: { outcome?: string; note?: string }; answer: Action }
  'POST /v1/actions/{id}/reject': { query: {  }; body: { note?: string }; answer: Action }
  'GET /v1/audit': { query: { page?: number; per_page?: number; sort?: ("at" | "action" | "actor_id" | "subject_id"); order?: ("asc" | "desc"); actor_id?: string; action?: string; subject_id?: string; from?: string; to?: string }; body: undefined; answer: AuditList }
  'GET /v1/audit/{seq}': { query: {  }; body: undefined; answer: AuditEntry }
  'GET /v1/employees': { query: { department?: string; band?: ("green" | "yellow" | "orange" | "red" | "critical"); bands?: string; min_score?: number; max_score?: number; status?: ("active" | "inactive"); search?: string; sort?: ("score" | "name" | "last_event" | "department"); order?: ("asc" | "desc"); page?: number; per_page?: number }; body: undefined; answer: EmployeeList }
  'POST /v1/employees': { query: {  }; body: { email: string; first_name: string; last_name: string; department?: string; title?: string; location?: string; manager_email?: string }; answer: Employee }
  'POST /v1/employees/batch': { query: {  }; body: NewEmployeeBatch; answer: EmployeeBatchResult }
  'GET /v1/employees/by-email/{email}': { query: {  }; body: undefined; answer: Employee }
  'GET /v1/employees/{id}': { query: {  }; body: undefined; answer: Employee }
  'PATCH /v1/employees/{id}': { query: {  }; body: { department?: string; title?: string; status?: ("active" | "inactive") }; answer: Employee }
  'POST /v1/employees/{id}/erase': { query: {  }; body: { confirm?: "erase" }; answer: ErasedPerson }
  'GET /v1/employees/{id}/events': { query: { page?: number; per_page?: number; sort?: ("timestamp" | "type" | "source" | "impact"); order?: ("asc" | "desc"); type?: string; from?: string; to?: string }; body: undefined; answer: EventList }
  'GET /v1/employees/{id}/explanation': { query: { at?: string }; body: undefined; answer: Explanation }
  'GET /v1/employees/{id}/export': { query: {  }; body: undefined; answer: PersonExport }
  'GET /v1/employees/{id}/forecast': { query: { days?: number; with?: string }; body: undefined; answer: ScoreForecast }
  'GET /v1/employees/{id}/score-history': { query: { from?: string; to?: string; interval?: ("hourly" | "daily" | "weekly") }; body: undefined; answer: ScoreHistory }
  'GET /v1/events': { query: { page?: number; per_page?: number; sort?: ("timestamp" | "type" | "source" | "impact"); order?: ("asc" | "desc"); employee_id?: string; type?: string; source?: string; from?: string; to?: string; impact?: ("positive" | "negative") }; body: undefined; answer: EventList }
  'POST /v1/events': { query: {  }; body: NewEvent; answer: EventResult }
  'POST /v1/events/batch': { query: {  }; body: NewEventBatch; answer: EventBatchResult }
  'POST /v1/events/retract': { query: { dry_run?: boolean }; body: { reason: string; filter: { type?: string; source?: string; employee_id?: string; from?: string; to?: string; conditions?: Record<string, unknown> } }; answer: AcceptedJob }
  'GET /v1/events/retract/{job_id}': { query: {  }; body: undefined; answer: RetractionJob }
  'DELETE /v1/events/retract/{job_id}': { query: {  }; body: undefined; answer: undefined }
  'GET /v1/events/statistics': { query: { from?: string; to?: string; group_by?: ("type" | "source" | "department") }; body: undefined; answer: EventStatistics }
  'GET /v1/events/unmatched': { query: { page?: number; per_page?: number; sort?: ("received_at" | "type" | "source" | "email"); order?: ("asc" | "desc") }; body: undefined; answer: UnmatchedList }
  'POST /v1/events/unmatched/{id}/replay': { query: {  }; body: undefined; answer: EventResult }
  'POST /v1/events/webhook': { query: {  }; body: InboundEvent; answer: EventResult }
  'GET /v1/events/{id}': { query: {  }; body: undefined; answer: EventDetail }
  'POST /v1/events/{id}/redact': { query: {  }; body: undefined; answer: Event }
  'POST /v1/events/{id}/retract': { query: {  }; body: { reason: string }; answer: RetractedEvent }
  'GET /v1/me': { query: {  }; body: undefined; answer: Me }
  'GET /v1/rules': { query: { category?: ("identity" | "email" | "endpoint" | "training" | "custom"); status?: ("active" | "inactive"); page?: number; per_page?: number }; body: undefined; answer: RuleList }
  'POST /v1/rules': { query: {  }; body: { name: string; event_type: string; category: ("identity" | "email" | "endpoint" | "training" | "custom"); impact: number; cooldown?: string; conditions?: Record<string, unknown>; priority?: number; exclusive?: boolean }; answer: Rule }
  'POST /v1/rules/recalculate': { query: { dry_run?: boolean }; body: { scope: (string | { department: string }); department?: string }; answer: AcceptedJob }
  'GET /v1/rules/recalculate/{job_id}': { query: {  }; body: undefined; answer: RecalculationJob }
  'DELETE /v1/rules/recalculate/{job_id}': { query: {  }; body: undefined; answer: undefined }
  'POST /v1/rules/test': { query: { from?: string; to?: string }; body: { name: string; event_type: string; category: ("identity" | "email" | "endpoint" | "training" | "custom"); impact: number; cooldown?: string; conditions?: Record<string, unknown>; priority?: number; exclusive?: boolean; replaces?: string }; answer: DraftDryRun }
  'GET /v1/rules/{id}': { query: {  }; body: undefined; answer: Rule }
  'PATCH /v1/rules/{id}': { query: {  }; body: { name?: string; event_type?: string; category?: ("identity" | "email" | "endpoint" | "training" | "custom"); impact?: number; cooldown?: string; conditions?: Record<string, unknown>; priority?: number; exclusive?: boolean; status?: ("active" | "inactive") }; answer: Rule }
  'DELETE /v1/rules/{id}': { query: {  }; body: undefined; answer: undefined }
  'POST /v1/rules/{id}/test': { query: { from?: string; to?: string }; body: undefined; answer: DryRun }
  'GET /v1/scores/departments': { query: {  }; body: undefined; answer: DepartmentScores }
  'GET /v1/scores/distribution': { query: { department?: string; bucket_size?: number }; body: undefined; answer: ScoreDistribution }
  'GET /v1/scores/summary': { query: {  }; body: undefined; answer: ScoreSummary }
  'GET /v1/scores/top-risks': { query: { limit?: number; sort?: ("lowest_score" | "biggest_drop"); department?: string }; body: undefined; answer: TopRisks }
  'GET /v1/scores/trends': { query: { from?: string; to?: string; interval?: ("daily" | "weekly" | "monthly"); department?: string }; body: undefined; answer: ScoreTrends }
  'GET /v1/webhooks': { query: { page?: number; per_page?: number }; body: undefined; answer: WebhookList }
  'POST /v1/webhooks': { query: {  }; body: { url: string; events: Array<("score.updated" | "score.band_changed" | "action.triggered" | "action.completed" | "event.ingested" | "employee.created" | "employee.deactivated")>; description?: string }; answer: WebhookWithSecret }
  'GET /v1/webhooks/deliveries/{id}': { query: {  }; body: undefined; answer: DeliveryDetail }
  'POST /v1/webhooks/deliveries/{id}/redeliver': { query: {  }; body: undefined; answer: Delivery }
  'GET /v1/webhooks/{id}': { query: {  }; body: undefined; answer: Webhook }
  'PATCH /v1/webhooks/{id}': { query: {  }; body: { url?: string; events?: Array<("score.updated" | "score.band_changed" | "action.triggered" | "action.completed" | "event.ingested" | "employee.created" | "employee.deactivated")>; description?: string; status?: ("enabled" | "disabled") }; answer: Webhook }
  'DELETE /v1/webhooks/{id}': { query: {  }; body: undefined; answer: undefined }
  'POST /v1/webhooks/{id}/activate-secret': { query: {  }; body: undefined; answer: Webhook }
  'GET /v1/webhooks/{id}/deliveries': { query: { status?: ("pending" | "retrying" | "delivered" | "failed" | "skipped"); event?: string; sort?: ("created_at" | "event" | "status" | "attempts"); order?: ("asc" | "desc"); page?: number; per_page?: number }; body: undefined; answer: DeliveryList }
  'POST /v1/webhooks/{id}/recover': { query: {  }; body: { since: string }; answer: WebhookRecovery }
  'GET /v1/webhooks/{id}/recover/{recovery_id}': { query: {  }; body: undefined; answer: WebhookRecovery }
  'POST /v1/webhooks/{id}/rotate-secret': { query: {  }; body: undefined; answer: WebhookWithSecret }
  'POST /v1/webhooks/{id}/test': { query: {  }; body: undefined; answer: Delivery }
}
