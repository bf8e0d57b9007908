/** The `/v1` route table, one entry per operation. Behavior and authorization are in `schema/` and `src/` only. */
import { accountRoutes } from './accounts/routes.ts'
import { billingRoutes } from './billing/routes.ts'
import { cardRoutes } from './cards/routes.ts'
import { checkRoutes } from './checks/routes.ts'
import { endpointRoutes } from './endpoints/routes.ts'
import { sessionRoutes } from './endpoints/session-routes.ts'
import type { Route } from './engine/route.ts'
import { fileRoutes } from './files/routes.ts'
import { versionRoutes } from './files/version-routes.ts'
import { plannerRoutes } from './planner/routes.ts'
import { repoRoutes } from './repos/routes.ts'
import { runReadingRoutes } from './runs/reading-routes.ts'
import { runRoutes } from './runs/routes.ts'
import { spendRoutes } from './spend/routes.ts'

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...repoRoutes,
  ...fileRoutes,
  ...versionRoutes,
  ...cardRoutes,
  ...plannerRoutes,
  ...billingRoutes,
  ...runRoutes,
  ...runReadingRoutes,
  ...checkRoutes,
  ...endpointRoutes,
  ...spendRoutes,
  ...sessionRoutes,
]

/** Streaming operations: without documents, mounted by the server. */
export const streamed: readonly string[] = [
  'streamRunLogs',
  'downloadRunLog',
  'streamRobotCheckLogs',
  'downloadRobotCheckLog',
]

/** Operations of the spec without a route yet, by name; a test checks that the list is exact. */
export const pending: readonly string[] = []
