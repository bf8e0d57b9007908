/** A new gate of a model: on a task of any robot that has a board, whether or not this model has results on it. */
import { type FormEvent, useMemo, useState } from 'react'
import { useMutation } from 'urql'
import { DelayedInput } from '../../../ui/delayed-input.tsx'
import { Field } from '../../../ui/field.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { RobotField } from '../robot-field.tsx'
import { resultsText } from './board-results.ts'
import { putRolloutGateMutation, type RolloutBoardsQuery, rolloutBoardsQuery } from './rollouts.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  /** The first one that is proposed; may be empty. Undefined before it is known. */
  readonly robot: string | undefined
  readonly changed: () => void
}

/** Most visits set none: robots and boards are asked for when it is opened. */
export function NewGate({ robot, ...props }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Add a gate</summary>
      {isOpen && robot === undefined && <Loading />}
      {isOpen && robot !== undefined && <GateForm {...props} robot={robot} />}
    </details>
  )
}

const boardsOf = ({ rolloutBoards }: NonNullable<RolloutBoardsQuery['repo']>) => rolloutBoards

function GateForm({ owner, repo, robot: proposed, changed }: Props & { readonly robot: string }) {
  const search = useBoardSearch(proposed)
  const { robot, boards, pages } = search
  const [{ error, fetching }, put] = useMutation(putRolloutGateMutation)
  const toast = useToast()
  const [least, setLeast] = useState('80')
  const [seeds, setSeeds] = useState('100')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const chosen = new FormData(event.currentTarget).get('board')
    const board = boards.find(({ fingerprint }) => fingerprint === chosen)
    if (!board) return
    const { fingerprint, task: name } = board
    const numbers = { least: Number(least) / 100, seeds: Number(seeds) }
    const answer = await put({ input: { owner, repo, robot, fingerprint, ...numbers } })
    if (answer.error) return
    toast(`The gate ${name} on ${robot} is set.`)
    changed()
  }
  return (
    <form onSubmit={submit} className="stack">
      {error && <ErrorNotice error={error} />}
      <BoardSearch {...search} />
      {boards.length > 0 && (
        <div className="row">
          <Field label="Board" fault={faultOf(error, 'fingerprint')}>
            <select name="board" required>
              {boards.map(({ task, fingerprint, results }) => (
                <option key={fingerprint} value={fingerprint}>
                  {task} {fingerprint.slice(0, 6)} ({resultsText(results)})
                </option>
              ))}
            </select>
          </Field>
          <LoadMore pages={pages} />
          <Field label="Interval from, in %" fault={faultOf(error, 'least')}>
            <input
              type="number"
              min="0.1"
              max="100"
              step="0.1"
              required
              value={least}
              onChange={({ target }) => setLeast(target.value)}
            />
          </Field>
          <Field label="Seeds at least" fault={faultOf(error, 'seeds')}>
            <input
              type="number"
              min="1"
              max="1000"
              required
              value={seeds}
              onChange={({ target }) => setSeeds(target.value)}
            />
          </Field>
          <button type="submit" className="button" disabled={fetching}>
            Set gate
          </button>
        </div>
      )}
    </form>
  )
}

/** The boards of a robot whose tasks have a word in their name. */
function useBoardSearch(proposed: string) {
  const [robot, setRobot] = useState(proposed)
  const [task, setTask] = useState('')
  const variables = useMemo(() => ({ ...repoParts(robot), q: task || null, after: null }), [robot, task])
  const isNamed = variables.owner !== '' && variables.repo !== ''
  const pages = usePages({
    ...{ query: rolloutBoardsQuery, variables, field: 'repo', select: boardsOf, pause: !isNamed },
  })
  const chooseRobot = (name: string) => {
    setRobot(name)
    // The tasks of another robot are others.
    setTask('')
  }
  return { robot, chooseRobot, task, setTask, isNamed, pages, boards: isNamed ? pages.nodes : [] }
}

function BoardSearch({ robot, chooseRobot, task, setTask, isNamed, pages }: ReturnType<typeof useBoardSearch>) {
  return (
    <>
      <div className="field">
        <span>Robot</span>
        <RobotField label="Robot of the gate" value={robot} change={(value) => chooseRobot(value.trim())} />
      </div>
      {isNamed && pages.root !== null && (
        <div className="field">
          <span>Task</span>
          <DelayedInput
            key={robot}
            label="Find a task of the robot"
            value={task}
            change={(value) => setTask(value.trim())}
            placeholder="part of its name"
          />
        </div>
      )}
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {isNamed && pages.root === undefined && !pages.error && <Loading />}
      <Missing robot={robot} task={task} isNamed={isNamed} root={pages.root} isEmpty={pages.isEmpty} />
    </>
  )
}

interface MissingProps {
  readonly robot: string
  /** What the name of a task has to have in it; may be empty. */
  readonly task: string
  readonly isNamed: boolean
  /** Undefined before it is known, null for what is not there. */
  readonly root: RolloutBoardsQuery['repo'] | undefined
  readonly isEmpty: boolean
}

/** What keeps a gate from being set on the robot. */
function Missing({ robot, task, isNamed, root, isEmpty }: MissingProps) {
  if (!isNamed) return <p className="dim small">Write the robot as owner/robot: parts of its name find it.</p>
  if (root === null)
    return (
      <p role="alert" className="small">
        There is no robot {robot} that you see.
      </p>
    )
  if (!isEmpty) return null
  if (task !== '')
    return (
      <p role="alert" className="small">
        No task of {robot} that has results has {task} in its name.
      </p>
    )
  return (
    <p role="alert" className="small">
      {robot} has no board: a gate needs one. The first result that{' '}
      <code>hub rollout MODEL --robot {robot} --publish</code> keeps makes it.
    </p>
  )
}
