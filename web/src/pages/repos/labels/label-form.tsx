/** Says something of episodes: of the one that is shown, unless others are written. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { useSearchParams } from '../../../app/navigate.tsx'
import { Field } from '../../../ui/field.tsx'
import { counted } from '../../../ui/format.ts'
import { faultOf } from '../../../ui/problem.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { episodeNumbers } from './episode-numbers.ts'
import { labelEpisodesMutation } from './labels.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly changed: () => void
}

/** The choices of a select: what is there stays, is taken away, or is one of these. */
const choices = { '': 'as it is', NONE: 'neither', KEEP: 'keep', DROP: 'drop' } as const
const outcomes = { '': 'as it is', NONE: 'neither', SUCCESS: 'success', FAILURE: 'failure' } as const

type Chosen<Words> = Exclude<keyof Words, '' | 'NONE'>

/** Left out where it stays as it is, null where it is taken away. */
function memberOf<Words extends object>(words: Words, value: unknown): Chosen<Words> | null | undefined {
  if (value === 'NONE') return null
  return typeof value === 'string' && value !== '' && value in words ? (value as Chosen<Words>) : undefined
}

export function LabelForm({ owner, repo, changed }: Props) {
  const [search] = useSearchParams()
  const shown = search.get('episode') ?? '0'
  const [{ error, fetching }, label] = useMutation(labelEpisodesMutation)
  const [fault, setFault] = useState<string | null>(null)
  const [isEmpty, setEmpty] = useState(false)
  const [isBare, setBare] = useState(false)
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const episodes = episodeNumbers(String(form.get('episodes')).trim() || shown)
    setFault('fault' in episodes ? episodes.fault : null)
    if ('fault' in episodes) return
    // A field that is disabled is not in the form.
    const note = String(form.get('note') ?? '').trim()
    const said = {
      choice: memberOf(choices, form.get('choice')),
      outcome: memberOf(outcomes, form.get('outcome')),
      note: isBare ? null : note === '' ? undefined : note,
    }
    const saysNothing = Object.values(said).every((part) => part === undefined)
    setEmpty(saysNothing)
    if (saysNothing) return
    const answer = await label({ input: { owner, repo, episodes, ...said } })
    if (answer.error) return
    element.reset()
    setBare(false)
    toast(`${counted(episodes.length, 'episode')} labelled.`)
    changed()
  }
  return (
    <form onSubmit={submit} className="stack">
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field label="Episodes" hint="As in 3, 5-9" fault={fault ?? faultOf(error, 'episodes')}>
          <input name="episodes" placeholder={shown} autoComplete="off" />
        </Field>
        <Field label="Choice" fault={isEmpty ? 'Choose one here or an outcome, or write or remove a note.' : null}>
          <Select name="choice" words={choices} />
        </Field>
        <Field label="Outcome">
          <Select name="outcome" words={outcomes} />
        </Field>
        <Field label="Note" fault={faultOf(error, 'note')}>
          <input name="note" maxLength={4000} autoComplete="off" disabled={isBare} />
        </Field>
        <label className="row">
          <input type="checkbox" checked={isBare} onChange={() => setBare(!isBare)} /> Remove the note
        </label>
        <button type="submit" className="button" disabled={fetching}>
          Label episodes
        </button>
      </div>
    </form>
  )
}

function Select({ name, words }: { readonly name: string; readonly words: Readonly<Record<string, string>> }) {
  return (
    <select name={name}>
      {Object.entries(words).map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  )
}
