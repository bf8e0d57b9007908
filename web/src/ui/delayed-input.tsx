/** A field of text that tells its text once typing rests: a list is not asked for each key. */
import { useEffect, useRef, useState } from 'react'

/** Longer than between two keys of most people. */
const REST_MS = 300

interface Props {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly placeholder?: string
  readonly size?: number
  readonly maxLength?: number
  /** Id of a `datalist` with proposals. */
  readonly list?: string
  /** In a form: its text at once. */
  readonly name?: string
}

/** Enter tells at once. */
export function DelayedInput({ label, value, change, ...rest }: Props) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  const latest = useRef(change)
  latest.current = change
  useEffect(() => {
    // Another value than the one that was told came from elsewhere: a link, or the way back.
    if (value !== told.current) setText(value)
    told.current = value
  }, [value])
  useEffect(() => {
    if (text === told.current) return
    const timer = setTimeout(() => tell(text), REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  const tell = (next: string) => {
    told.current = next
    latest.current(next)
  }
  return (
    <input
      type="search"
      aria-label={label}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter' && text !== told.current) tell(text)
      }}
      {...rest}
    />
  )
}
