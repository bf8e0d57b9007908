/**
 * What an operator command does on the deployment. The server's modules are loaded when a command runs: `hub --help`
 * and every client command need none of them.
 */
import type { ClientIo } from 'hub/client-output'
import type { Auth } from '../auth/auth.ts'
import { ofServer } from './load-server.ts'

/** Of `deployment-verbs.ts`. */
export type Verbs = typeof import('./deployment-verbs.ts')

/** Opens and migrates the configured database, runs `work`, and closes the database even if `work` fails. */
export async function onDeployment<T>(
  io: Pick<ClientIo, 'env'>,
  work: (auth: Auth, verbs: Verbs) => Promise<T>,
): Promise<T> {
  const verbs = await ofServer(() => import('./deployment-verbs.ts'))
  return verbs.withAuth(io, (auth) => work(auth, verbs))
}
