/** License, title and the like of a repo, in the header of its README.md. A chunk of its own. */
import { type FormEvent, useEffect, useState } from 'react'
import { readings } from '../../../app/client.ts'
import { Field } from '../../../ui/field.tsx'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { type FileVersion, fileVersion } from '../edit/file-version.ts'
import { saveText } from '../edit/save-text.ts'
import { readText } from '../edit/text-file.ts'
import { tagsIn } from '../new/new-repo-input.ts'
import { type Card, cardOf, withCard } from './card-header.ts'

interface Props {
  readonly owner: string
  readonly repo: string
}

interface Read {
  readonly base: FileVersion
  readonly text: string
  readonly card: Card
}

const PATH = 'README.md'

/** Those that robotics repos have most; any other can be typed. */
const licenses = ['apache-2.0', 'mit', 'bsd-3-clause', 'cc-by-4.0', 'cc-by-sa-4.0', 'cc-by-nc-4.0', 'gpl-3.0', 'other']

export default function CardForm({ owner, repo }: Props) {
  const [read, setRead] = useState<Read | null>(null)
  const [fault, setFault] = useState<Error | null>(null)
  const [round, setRound] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const toast = useToast()
  useEffect(() => {
    const leaving = new AbortController()
    const load = async () => {
      const base = await fileVersion(readings, owner, repo, PATH)
      const text = base.file === null ? '' : await readText(owner, repo, PATH, leaving.signal)
      if (!leaving.signal.aborted) setRead({ base, text, card: cardOf(text) })
    }
    load().catch((error: Error) => {
      if (!leaving.signal.aborted) setFault(error)
    })
    return () => leaving.abort()
  }, [owner, repo, round])
  const again = () => {
    setFault(null)
    setRead(null)
    setRound((before) => before + 1)
  }
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (read === null) return
    const text = withCard(read.text, cardIn(new FormData(event.currentTarget)))
    setBusy(true)
    setFault(null)
    try {
      await saveText(readings, { owner, repo, path: PATH, text, message: 'Edit the card', base: read.base })
      toast('The card is saved in README.md.')
      again()
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="panel stack" key={round} onSubmit={save} aria-label="Card">
      <h2>Card</h2>
      <p className="dim small">
        These stand in the header of README.md, where other tools read them too. Search finds repos by them.
      </p>
      {fault && <ErrorNotice error={fault} retry={again} />}
      {read === null && !fault && <Loading />}
      {read && (
        <>
          <CardFields card={read.card} />
          <div>
            <button type="submit" className="button primary" disabled={isBusy}>
              Save card
            </button>
          </div>
        </>
      )}
    </form>
  )
}

function CardFields({ card }: Pick<Read, 'card'>) {
  return (
    <>
      <Text label="Title" name="title" value={card.pretty_name} />
      <Field label="License" hint="Its SPDX name, such as apache-2.0.">
        <input name="license" list="licenses" defaultValue={textOf(card.license)} autoComplete="off" />
      </Field>
      <datalist id="licenses">
        {licenses.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Text label="Library" name="library" value={card.library_name} hint="Such as lerobot." />
      <Text label="Task" name="task" value={card.pipeline_tag} hint="Such as robotics." />
      <Text label="Languages" name="language" value={card.language} hint="Such as en." />
      <Text label="Tags of the card" name="cardTags" value={card.tags} hint="Words, separated by spaces." />
    </>
  )
}

/** What a person wrote into `CardFields`. */
function cardIn(form: FormData) {
  const value = (name: string) => String(form.get(name) ?? '').trim() || null
  return {
    pretty_name: value('title'),
    license: value('license'),
    library_name: value('library'),
    pipeline_tag: value('task'),
    language: tagsIn(value('language') ?? ''),
    tags: tagsIn(value('cardTags') ?? ''),
  }
}

const textOf = (value: Card[keyof Card]): string => (typeof value === 'string' ? value : (value ?? []).join(' '))

interface TextProps {
  readonly label: string
  readonly name: string
  readonly value: Card[keyof Card]
  readonly hint?: string
}

function Text({ label, name, value, hint }: TextProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      <input name={name} defaultValue={textOf(value)} autoComplete="off" />
    </Field>
  )
}
