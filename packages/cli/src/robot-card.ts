/** The card that a robot repo has, for commands that cannot do without. */
import { type HubClient, LocalError, ProblemError } from '@hub/client/internal'
import { pathOf, repoName } from './client-session.ts'

/**
 * With its numbers as they are written. Rejects with what makes a card where the robot has none; `needed` says why one
 * has to be there.
 */
export async function cardOf(client: HubClient, robot: string, needed: () => string | Promise<string>) {
  try {
    return await client.robotCard(repoName(robot))
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
    // Of a repo that is not there, or not visible, that is what is wrong.
    await client.v1.getRepo({ path: pathOf(robot) })
    const why = await needed()
    throw new LocalError(
      `${robot} has no card: ${why}. \`hub card put ${robot} FILE\` stores one, \`hub check ${robot}\` drafts one.`,
    )
  }
}
