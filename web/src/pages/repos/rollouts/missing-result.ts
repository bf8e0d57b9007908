/** What a page of rollouts in 3D says of a result that is not what its address names. Pure. */
import { PageError } from '../../../ui/problem.ts'

/** `name`: of `resultName`. */
export const noResult = (name: string): PageError =>
  new PageError(
    'The result is not there',
    `There is no result ${name}, or you do not see it: it was deleted, or is of a model that is not shared with you.`,
  )

/** `robot`: the one that the result is of. */
export const otherRobot = (name: string, robot: string): PageError =>
  new PageError('The result is of another robot', `${name} is of ${robot}: open it from the boards of that robot.`)
