/** Names episodes of the data set as it is now. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../../ui/field.tsx'
import { counted } from '../../../ui/format.ts'
import { faultOf } from '../../../ui/problem.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { createEpisodeSelectionMutation } from './selections.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly changed: () => void
}

/** What is selected by; the first two take a list. */
const ways = {
  drop: 'all but these episodes',
  keep: 'these episodes',
  NOT_DROPPED: 'all that are not labelled drop',
  KEPT: 'those labelled keep',
  SUCCESSFUL: 'those labelled success',
} as const

type Way = keyof typeof ways

function given(way: Way, list: string) {
  if (way === 'keep') return { keep: list }
  return way === 'drop' ? { drop: list } : { labels: way }
}

const takesList = (way: Way): boolean => way === 'keep' || way === 'drop'

export function SelectionForm({ owner, repo, changed }: Props) {
  const [{ error, fetching }, create] = useMutation(createEpisodeSelectionMutation)
  const [way, setWay] = useState<Way>('drop')
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const note = text('reason')
    const input = { ...given(way, text('list')), note: note === '' ? null : note }
    const answer = await create({ input: { owner, repo, name: text('name'), ...input } })
    const made = answer.data?.createEpisodeSelection?.selection
    if (answer.error || !made) return
    element.reset()
    setWay('drop')
    toast(`${made.name} has ${counted(made.count, 'episode')}.`)
    changed()
  }
  return (
    <form onSubmit={submit} className="stack">
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field label="Name" fault={faultOf(error, 'name')}>
          <input name="name" required autoComplete="off" />
        </Field>
        <Field label="Selects">
          <select value={way} onChange={({ target }) => setWay(target.value as Way)}>
            {Object.entries(ways).map(([one, words]) => (
              <option key={one} value={one}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        {takesList(way) && (
          <Field label="List" hint="As in 3, 5-9" fault={faultOf(error, 'keep') ?? faultOf(error, 'drop')}>
            <input name="list" autoComplete="off" />
          </Field>
        )}
        <Field label="Note" fault={faultOf(error, 'note')}>
          <input name="reason" maxLength={4000} autoComplete="off" />
        </Field>
        <button type="submit" className="button" disabled={fetching}>
          Select episodes
        </button>
      </div>
    </form>
  )
}
