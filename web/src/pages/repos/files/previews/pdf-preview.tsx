/** A PDF in the browser's own viewer. A chunk of its own. */

import { useEffect, useState } from 'react'
import { readRange } from '../../../../files/range-file.ts'
import { bytes } from '../../../../ui/format.ts'
import { PageError } from '../../../../ui/problem.ts'
import { Empty, ErrorNotice, Loading } from '../../../../ui/states.tsx'
import { type PreviewProps, rangeFile, versionOf } from './repo-file.ts'
import { useLoaded } from './use-loaded.ts'

/** It is held whole in memory. */
const MOST_BYTES = 32 * 1024 * 1024
/** Readers look for the mark in the first KiB; the hub's pages want it first, so that nothing else comes before it. */
const MARK = '%PDF-'

export default function PdfPreview(props: PreviewProps) {
  const { size } = props.file
  if (!navigator.pdfViewerEnabled)
    return (
      <Empty title="This browser shows no PDF">
        <p>Download the file to read it.</p>
      </Empty>
    )
  if (size > MOST_BYTES)
    return (
      <Empty title={`A PDF of ${bytes(size)} is not shown here`}>
        <p>Up to {bytes(MOST_BYTES)} are. Download the file to read it.</p>
      </Empty>
    )
  return <Shown {...props} />
}

function Shown(props: PreviewProps) {
  const { value: pdf, error } = useLoaded(versionOf(props), () => pdfOf(props))
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (pdf === null) return
    const made = URL.createObjectURL(pdf)
    setUrl(made)
    return () => {
      setUrl(null)
      URL.revokeObjectURL(made)
    }
  }, [pdf])
  if (error) return <ErrorNotice error={error} />
  return url === null ? <Loading /> : <iframe className="preview-pdf" src={url} title={props.file.path} />
}

/**
 * The bytes as what they are said to be, whatever they are: by this type a browser hands them to its viewer, and never
 * takes them for a page, which would be one of the hub's.
 */
async function pdfOf(props: PreviewProps): Promise<Blob> {
  const content = await readRange(rangeFile(props))(0, props.file.size)
  const start = new TextDecoder('latin1').decode(content.slice(0, MARK.length))
  if (start !== MARK)
    throw new PageError(
      'It cannot be shown',
      'This file is not a PDF, whatever its name says. Download it to look at it.',
    )
  return new Blob([content], { type: 'application/pdf' })
}
