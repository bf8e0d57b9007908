/** The `/v1` table: one line of data an operation. What an operation does, and who may, stands in `schema/` and `src/` alone. */
import { accountRoutes } from './accounts/routes.ts'
import { billingRoutes } from './billing/routes.ts'
import { cardRoutes } from './cards/routes.ts'
import type { Route } from './engine/route.ts'
import { fileRoutes } from './files/routes.ts'
import { plannerRoutes } from './planner/routes.ts'
import { repoRoutes } from './repos/routes.ts'
import { runReadingRoutes } from './runs/reading-routes.ts'
import { runRoutes } from './runs/routes.ts'

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...repoRoutes,
  ...fileRoutes,
  ...cardRoutes,
  ...plannerRoutes,
  ...billingRoutes,
  ...runRoutes,
  ...runReadingRoutes,
]

/** Operations of the spec that answer with a stream: no documents, mounted by the server. */
export const streamed: readonly string[] = ['streamRunLogs', 'downloadRunLog']

/** Operations of the spec that have no route yet, by name: the test that walks the spec holds this list to exactly those. */
export const pending: readonly string[] = [
  'listRobotChecks',
  'createRobotCheck',
  'getRobotCheck',
  'claimRobotCheck',
  'claimNextRobotCheck',
  'presignRobotCheckArtifacts',
  'reportRobotCheck',
  'publishRobotCheck',
  'cancelRobotCheck',
  'listEndpoints',
  'createEndpoint',
  'estimateEndpoint',
  'getEndpoint',
  'stopEndpoint',
  'claimEndpoint',
  'reportEndpoint',
  'listEndpointSessions',
  'openEndpointSession',
  'reportEndpointSession',
  'listSpendHolds',
  'getSpendHold',
  'approveSpendHold',
  'denySpendHold',
  'cancelSpendHold',
]
