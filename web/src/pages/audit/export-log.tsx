/** Saves what the filters find as a file. */
import { useEffect, useRef, useState } from 'react'
import { readings } from '../../app/client.ts'
import { count } from '../../ui/format.ts'
import { messageOf } from '../../ui/problem.ts'
import { rootField } from '../../ui/root-field.ts'
import { useToast } from '../../ui/toast.tsx'
import { type AuditQueryVariables, auditQuery } from './audit.graphql.ts'
import { auditFile, type Format, fileName, formats, PAGE } from './export.ts'

export function ExportLog({ variables }: { readonly variables: AuditQueryVariables }) {
  const [entries, setEntries] = useState<number | null>(null)
  const stop = useRef<AbortController | null>(null)
  const toast = useToast()
  useEffect(() => () => stop.current?.abort(), [])
  const save = async (format: Format) => {
    const ending = new AbortController()
    const { signal } = ending
    stop.current = ending
    const pageAfter = async (after: string | null) => {
      signal.throwIfAborted()
      const answer = await readings.query(auditQuery, { ...variables, first: PAGE, after }).toPromise()
      const { value, error } = rootField(answer, 'auditLog')
      if (!value) throw error ?? new Error('The hub has no log of this account.')
      return value
    }
    setEntries(0)
    try {
      const pieces: Blob[] = []
      for await (const piece of auditFile(format, pageAfter, setEntries)) pieces.push(new Blob([piece]))
      download(new Blob(pieces, { type: formats[format].type }), fileName(variables.account, format, new Date()))
    } catch (error) {
      if (!signal.aborted) toast(`Nothing was saved. ${messageOf(error instanceof Error ? error : new Error())}`)
    } finally {
      setEntries(null)
    }
  }
  if (entries !== null)
    return (
      <>
        <span role="status">Reading: {count(entries)} entries</span>
        <button type="button" className="button" onClick={() => stop.current?.abort()}>
          Stop
        </button>
      </>
    )
  return Object.entries(formats).map(([format, { title }]) => (
    <button key={format} type="button" className="button" onClick={() => save(format as Format)}>
      Export {title}
    </button>
  ))
}

/** By a link: the one way to name the file that every browser has. */
function download(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
