/** Results that are chosen in a table: the address names them, so that a link shows the same comparison. */
import { useSearchParams } from '../../../app/navigate.tsx'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { withMember } from '../../runs/run-view.ts'
import { comparedNames, toggledNames } from './compared-address.ts'
import { ComparedRollouts } from './compared-rollouts.tsx'
import { namedResult, resultName } from './result-name.ts'
import { namedRolloutQuery, type RolloutRowFragment } from './rollouts.graphql.ts'

/** The names of the chosen results, and what chooses one or leaves it out. */
export function useChosenResults() {
  const [search, setSearch] = useSearchParams()
  const chosen = comparedNames(search)
  const toggle = (name: string) => setSearch((before) => withMember(before, 'compare', toggledNames(chosen, name)))
  return { chosen, toggle }
}

interface Props {
  readonly chosen: readonly string[]
  /** Of the table: one that has not been loaded there is read by its name. */
  readonly rows: readonly RolloutRowFragment[]
  /** Takes a result that is not there out of the address. */
  readonly toggle: (name: string) => void
}

export function ChosenResults({ chosen, rows, toggle }: Props) {
  const [one = null, other = null] = chosen
  const first = useResult(one, rows)
  const second = useResult(other, rows)
  if (!one) return null
  const sides = [{ name: one, ...first }, ...(other ? [{ name: other, ...second }] : [])]
  const found = sides.flatMap(({ row }) => row ?? [])
  if (found.length === sides.length) return <ComparedRollouts rows={found} />
  return (
    <section className="panel stack" aria-label="Comparison">
      {sides.map(({ name, row, error, again }) => {
        if (row) return null
        if (error) return <ErrorNotice key={name} error={error} retry={again} />
        if (row === undefined) return <Loading key={name} />
        return (
          <p key={name} className="row">
            The result {name} is not there, or you do not see it.
            <button type="button" className="button small" onClick={() => toggle(name)}>
              Compare without it
            </button>
          </p>
        )
      })}
    </section>
  )
}

/** `row` is undefined until it is known, and null where there is none for the caller. */
function useResult(name: string | null, rows: readonly RolloutRowFragment[]) {
  const shown = rows.find((row) => resultName(row) === name)
  const variables = namedResult(name ?? '')
  const [answer, again] = useReading({ query: namedRolloutQuery, variables, pause: name === null || Boolean(shown) })
  const { value, error } = rootField(answer, 'repo')
  const read = value === undefined ? undefined : (value?.rollout ?? null)
  return { row: shown ?? read, error, again }
}
