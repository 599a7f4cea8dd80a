// Shapes of explanations and forecasts of one employee's score.
import Type from 'typebox'
import { DATE_OR_MOMENT } from '../platform/dates.ts'
import { Instant, NullableInstant, oneOf } from '../platform/schemas.ts'
import { BandName, EMPLOYEE_ID, Score } from './scores.schema.ts'

const Part = (description: string, example: number) =>
  Type.Number({ description: `${description} 9 decimals.`, examples: [example] })

const Status = (description: string) => oneOf(['active', 'inactive'] as const, description)
const employee_id = Type.String({ description: 'Who it is.', examples: [EMPLOYEE_ID] })
const RULE_ID = 'rule_0mm9xk2ce12c3d4e5f6g7h'

const SHARE_EXAMPLE = {
  kind: 'rule',
  event_id: 'evt_0mm9xk2ce12c3d4e5f6g7h',
  event_type: 'sim.link_clicked',
  source: 'phishing-simulator',
  timestamp: '2026-03-02T09:00:00.000Z',
  rule_id: RULE_ID,
  rule_name: 'Simulation: link clicked',
  impact: -25,
  current_impact: -23.146867807,
  dated_at: '2026-03-02T09:00:00.000Z',
}

const EXPLANATION_EXAMPLE = {
  employee_id: EMPLOYEE_ID,
  at: '2026-03-12T09:00:00.000Z',
  status: 'active',
  score: 52,
  band: 'orange',
  exact_score: 51.853132193,
  starting_score: 75,
  shares: [SHARE_EXAMPLE],
  rest: { count: 0, current_impact: 0 },
  older_than_retention: 0,
  totals: { risk: -23.146867807, recovery: 0 },
  cap_adjustment: 0,
  edge_adjustment: 0,
}

const FORECAST_EXAMPLE = {
  employee_id: EMPLOYEE_ID,
  status: 'active',
  score: 52,
  band: 'orange',
  from: '2026-03-12T09:00:00.000Z',
  until: '2026-06-10T09:00:00.000Z',
  changes: [
    {
      at: '2026-04-01T09:00:00.000Z',
      reason: 'clean_streak',
      previous_score: 55,
      score: 60,
      previous_band: 'orange',
      band: 'yellow',
    },
  ],
  streaks: [
    {
      at: '2026-04-01T09:00:00.000Z',
      impact: 5,
      rules_matched: [RULE_ID],
      score_before: 55,
      score_after: 60,
    },
  ],
  back_in_band: [
    { band: 'yellow', at: '2026-04-01T09:00:00.000Z', date: '2026-04-01' },
    { band: 'green', at: null, date: null },
  ],
}

export const ExplanationQuery = Type.Object(
  {
    at: Type.Optional(
      Type.String({
        maxLength: 40,
        pattern: DATE_OR_MOMENT,
        description:
          'The instant to explain: a date-time with zone, or a date for its last instant. From creation to now.',
        examples: ['2026-03-02T09:00:00Z'],
      }),
    ),
  },
  { additionalProperties: false },
)

const ExplainedShare = Type.Object(
  {
    kind: oneOf(['rule', 'clean_streak', 'manual'] as const, 'What gave it.'),
    event_id: Type.String({ examples: ['evt_0mm9xk2ce12c3d4e5f6g7h'] }),
    event_type: Type.String({ description: 'Its dotted kind.', examples: ['sim.link_clicked'] }),
    source: Type.String({
      description: 'The originating integration.',
      examples: ['phishing-simulator'],
    }),
    timestamp: Instant('When the event happened.'),
    rule_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The rule that fired; null for a manual adjustment.',
      examples: ['rule_0mm9xk2ce12c3d4e5f6g7h'],
    }),
    rule_name: Type.Union([Type.String(), Type.Null()], {
      description: 'Its name today; null where the rule is no more.',
      examples: ['Simulated phishing link clicked'],
    }),
    impact: Type.Integer({ description: 'What it gave.', examples: [-25] }),
    current_impact: Part('What it was worth at the instant.', -23.146867807),
    dated_at: Instant('From when it fades.'),
  },
  {
    $id: 'ExplainedShare',
    description: 'What one firing of a rule, a streak or an adjustment gives.',
    examples: [SHARE_EXAMPLE],
  },
)

export const Explanation = Type.Object(
  {
    employee_id,
    at: Instant('The instant explained.'),
    status: Status('The status then.'),
    frozen_at: Type.Optional(Instant('While inactive: the instant that froze the score.')),
    score: Score('The score then.'),
    band: BandName('The band then.'),
    exact_score: Part('What rounds to the score; the sum of all parts.', 51.853132193),
    starting_score: Type.Integer({ description: 'Where everyone begins.', examples: [75] }),
    shares: Type.Array(ExplainedShare, {
      description: 'Every share worth at least 0.05 in size, largest first; at most 1,000.',
    }),
    truncated: Type.Optional(
      Type.Boolean({ description: 'True where only the 1,000 largest shares are listed.' }),
    ),
    rest: Type.Object(
      {
        count: Type.Integer({ description: 'Shares that are not listed.' }),
        current_impact: Part('Their sum, and what rounding leaves.', 0),
      },
      { description: 'All smaller shares in one line.' },
    ),
    older_than_retention: Part('What events no longer kept still weigh.', 0),
    totals: Type.Object(
      {
        risk: Part('All negative shares together.', -23.146867807),
        recovery: Part('All positive shares together.', 0),
      },
      { description: 'The two sums before the cap.' },
    ),
    cap_adjustment: Part('What the cap takes from recovery; 0 or below.', 0),
    edge_adjustment: Part('What the edges 0 and 100 add or take.', 0),
  },
  {
    $id: 'Explanation',
    description:
      'starting_score + all current_impact of shares + rest + older_than_retention + cap_adjustment + ' +
      'edge_adjustment = exact_score.',
    examples: [EXPLANATION_EXAMPLE],
  },
)

export const ForecastQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 730, default: 90, description: 'How far ahead.' }),
    ),
    with: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'A supposed event of this type now, without details.',
        examples: ['sim.link_clicked'],
      }),
    ),
  },
  { additionalProperties: false },
)

const eventFields = {
  impact: Type.Integer({ description: 'The sum of the rules that fire.', examples: [5] }),
  rules_matched: Type.Array(Type.String({ examples: ['rule_0mm9xk2ce12c3d4e5f6g7h'] }), {
    description: 'Those rules.',
  }),
  score_before: Score('The score before it.'),
  score_after: Score('The score after it.'),
}

export const ScoreForecast = Type.Object(
  {
    employee_id,
    status: Status('The status now.'),
    score: Score('The score now.'),
    band: BandName('The band now.'),
    from: Instant('Now.'),
    until: Instant('The end of the forecast.'),
    supposed: Type.Optional(
      Type.Object(
        {
          type: Type.String({ description: 'Its type.', examples: ['sim.link_clicked'] }),
          ...eventFields,
        },
        { description: 'What the supposed event does.' },
      ),
    ),
    changes: Type.Array(
      Type.Object({
        at: Instant('When it changes.'),
        reason: oneOf(['decay', 'clean_streak', 'event'] as const, 'event: the supposed one.'),
        previous_score: Score('Before.'),
        score: Score('After.'),
        previous_band: BandName('Before.'),
        band: BandName('After.'),
      }),
      { description: 'Every change of score or band, in order; what is overdue comes first.' },
    ),
    streaks: Type.Array(Type.Object({ at: Instant('When it falls due.'), ...eventFields }), {
      description: 'Clean streaks that will fall due, by the rules as they are now.',
    }),
    back_in_band: Type.Array(
      Type.Object({
        band: BandName('A better band than the present one.'),
        at: NullableInstant('When the score first reaches it; null: not in this time.'),
        date: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          format: 'date',
          description: 'The UTC day of it.',
          examples: ['2026-05-14'],
        }),
      }),
      { description: 'Nearest band first; counted from after the supposed event.' },
    ),
  },
  {
    $id: 'ScoreForecast',
    description: 'How the score moves if no event comes in.',
    examples: [FORECAST_EXAMPLE],
  },
)
