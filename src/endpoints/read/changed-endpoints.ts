/** How the list of an account's endpoints is followed, by `followChanges`. An endpoint is never deleted. */
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { getEndpointsById } from './get-endpoint.ts'

export const changedEndpoints: ChangedList<Endpoint> = { kind: 'endpoint', wokenBy: 'ep', byId: getEndpointsById }
