// Fixed seeds: a mutant that lives must live again in the next run.
import fc from 'fast-check'

fc.configureGlobal({ seed: 20_260_301, numRuns: 40 })
