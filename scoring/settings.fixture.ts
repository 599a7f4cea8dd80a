// Settings that a tenant may have, for the properties of the model.
import fc from 'fast-check'
import type { ScoringSettings } from './settings.ts'

export const anySettings: fc.Arbitrary<ScoringSettings> = fc
  .record({
    starting_score: fc.integer({ min: 0, max: 100 }),
    recovery_cap: fc.integer({ min: 0, max: 100 }),
    half_life_days: fc.oneof(fc.integer({ min: 1, max: 3650 }), fc.constantFrom(1, 90, 3650)),
  })
  .filter(s => s.starting_score + s.recovery_cap <= 100)
