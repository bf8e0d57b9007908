import { databaseFaults } from './database.ts'
import type { Fault } from './fault.ts'
import { hubFaults } from './hubs.ts'
import { storeFaults } from './store.ts'

/** The nine. */
export const everyFault: readonly Fault[] = [...databaseFaults, ...hubFaults, ...storeFaults]
