// Shapes of the score views.
import Type from 'typebox'
import { BANDS, type Band } from '../../../scoring/settings.ts'
import { oneOf, WindowQuery } from '../platform/schemas.ts'
import { TREND_INTERVALS, type TrendInterval } from './intervals.ts'
import { RISK_SORTS, type RiskSort } from './risk-sorts.ts'

export const EMPLOYEE_ID = 'emp_0mm8o8c001q7xk3m2p5aw9'

export const BandName = (description: string) => oneOf<Band>(BANDS, description)

export const Score = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 100, description, examples: [72] })

const average_score = Type.Number({ description: 'Mean score, one decimal.', examples: [72.4] })
const median_score = Type.Number({
  description: 'Middle score; of an even number the mean of the middle two.',
  examples: [74.5],
})
const employee_count = Type.Integer({ description: 'Active employees.', examples: [412] })

const department = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'Only this department; empty: those without. An unknown one is 404.',
    examples: ['Finance'],
  }),
)

const date = Type.String({
  format: 'date',
  description: 'The first day of the interval.',
  examples: ['2026-03-02'],
})

const BandShare = Type.Object(
  {
    count: Type.Integer({ description: 'Active employees in the band.' }),
    percentage: Type.Number({ description: 'Of all of them, one decimal.' }),
  },
  {
    $id: 'BandShare',
    description: 'One band.',
    examples: [{ count: 103, percentage: 25 }],
  },
)

const BANDS_EXAMPLE = {
  green: { count: 103, percentage: 25 },
  yellow: { count: 206, percentage: 50 },
  orange: { count: 82, percentage: 19.9 },
  red: { count: 15, percentage: 3.6 },
  critical: { count: 6, percentage: 1.5 },
}

const BandDistribution = Type.Object(
  {
    green: BandShare,
    yellow: BandShare,
    orange: BandShare,
    red: BandShare,
    critical: BandShare,
  },
  {
    $id: 'BandDistribution',
    description: 'Active employees by band.',
    examples: [BANDS_EXAMPLE],
  },
)

const Trend = Type.Object(
  {
    direction: oneOf(['improving', 'declining', 'stable'] as const, 'stable is a change of 0.0.'),
    change: Type.Number({
      description: 'Average now less average then, one decimal; 0 without a past.',
      examples: [1.3],
    }),
    period: Type.String({ description: 'How far back.', examples: ['30d'] }),
  },
  {
    $id: 'ScoreTrend',
    description: 'Change of the average score.',
    examples: [{ direction: 'improving', change: 1.3, period: '30d' }],
  },
)

export const ScoreSummary = Type.Object(
  {
    average_score,
    median_score,
    total_employees: employee_count,
    band_distribution: BandDistribution,
    trend: Trend,
  },
  {
    $id: 'ScoreSummary',
    description: 'The organization as it stands now.',
    examples: [
      {
        average_score: 68.4,
        median_score: 71,
        total_employees: 412,
        band_distribution: BANDS_EXAMPLE,
        trend: { direction: 'improving', change: 1.3, period: '30d' },
      },
    ],
  },
)

export const DepartmentScores = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        department: Type.String({ description: 'Empty: those without.', examples: ['Finance'] }),
        average_score,
        employee_count,
        band_distribution: BandDistribution,
      }),
      { description: 'Departments with active employees, by name; at most 1,000.' },
    ),
    truncated: Type.Optional(
      Type.Boolean({ description: 'There are more; these are the largest.', examples: [true] }),
    ),
  },
  {
    $id: 'DepartmentScores',
    description: 'How each department stands now.',
    examples: [
      {
        data: [
          {
            department: 'Finance',
            average_score: 68.4,
            employee_count: 412,
            band_distribution: BANDS_EXAMPLE,
          },
        ],
      },
    ],
  },
)

export const DistributionQuery = Type.Object(
  {
    department,
    bucket_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 5, description: 'Scores in a bucket.' }),
    ),
  },
  { additionalProperties: false },
)

export const ScoreDistribution = Type.Object(
  {
    buckets: Type.Array(
      Type.Object({
        range: Type.String({ description: 'Both ends included.', examples: ['70-74'] }),
        count: Type.Integer({ description: 'Active employees in it.', examples: [31] }),
      }),
      { description: 'From 0 to 100; the last one ends at 100.' },
    ),
  },
  {
    $id: 'ScoreDistribution',
    description: 'How many employees have which score.',
    examples: [
      {
        buckets: [
          { range: '0-49', count: 61 },
          { range: '50-100', count: 351 },
        ],
      },
    ],
  },
)

export const TrendsQuery = Type.Object(
  {
    ...WindowQuery,
    interval: Type.Optional(
      oneOf<TrendInterval>(TREND_INTERVALS, 'UTC days, ISO weeks or calendar months.', 'daily'),
    ),
    department,
  },
  { additionalProperties: false },
)

export const ScoreTrends = Type.Object(
  {
    data: Type.Array(Type.Object({ date, average_score, median_score, employee_count }), {
      description: 'Oldest first; the running interval is the last.',
    }),
  },
  {
    $id: 'ScoreTrends',
    description: 'Scores over time.',
    examples: [
      {
        data: [
          { date: '2026-03-01', average_score: 67.9, median_score: 70.5, employee_count: 410 },
          { date: '2026-03-02', average_score: 68.4, median_score: 71, employee_count: 412 },
        ],
      },
    ],
  },
)

export const TopRisksQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'How many at most.' }),
    ),
    sort: Type.Optional(oneOf<RiskSort>(RISK_SORTS, 'What is worst.', 'lowest_score')),
    department: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only this department.', examples: ['Finance'] }),
    ),
  },
  { additionalProperties: false },
)

export const TopRisks = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        employee_id: Type.String({ description: 'Who it is.', examples: [EMPLOYEE_ID] }),
        email: Type.String({ description: 'Primary address.', examples: ['ada@example.com'] }),
        score: Score('The score now.'),
        band: BandName('The band now.'),
        score_change_30d: Type.Integer({
          description: 'Score now less score 30 days ago, or at creation if that is later.',
          examples: [-12],
        }),
        top_risk_factor: Type.String({
          description: 'The event type with the largest negative current impact, or none.',
          examples: ['sim.link_clicked'],
        }),
      }),
      { description: 'Worst first; ties by id.' },
    ),
  },
  {
    $id: 'TopRisks',
    description: 'Who needs attention.',
    examples: [
      {
        data: [
          {
            employee_id: EMPLOYEE_ID,
            email: 'ada@example.com',
            score: 34,
            band: 'red',
            score_change_30d: -12,
            top_risk_factor: 'sim.link_clicked',
          },
        ],
      },
    ],
  },
)
