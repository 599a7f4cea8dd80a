// Whole logs are read one piece at a time in a process, tenants in turns: a long log asked for many times over keeps
// nobody else from the database or the processor.
import { createPatientGate } from '../platform/fair-gate.ts'

export const inTurn = createPatientGate(1)
