/** What an ONNX or safetensors file says of its tensors; the weights themselves are not loaded. */
import { readOnnxHeader } from '@hub/formats/policy/onnx-header'
import { readSafetensorsContent } from '@hub/formats/policy/safetensors-header'
import { windowedFile } from '@hub/formats/policy/windowed-file'
import { counted } from '../../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../../ui/states.tsx'
import { cellText } from './cell-text.ts'
import { byteSource, type PreviewProps, versionOf } from './repo-file.ts'
import { RowTable } from './row-table.tsx'
import { useLoaded } from './use-loaded.ts'

interface Tensor {
  readonly use: string
  readonly name: string
  readonly type: string | null
  readonly shape: readonly (number | string | null)[] | null
}

interface Described {
  /** In a few words each. */
  readonly facts: readonly string[]
  readonly tensors: readonly Tensor[]
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Of a model whose description is spread between its weights, one request leads over each of the larger ones. */
const budget = { fetches: 400, bytes: 32 * 1024 * 1024 }
const MOST_ROWS = 500

export default function TensorsPreview(props: PreviewProps) {
  const { value, error } = useLoaded(versionOf(props), () => describe(props))
  if (error) return <ErrorNotice error={error} />
  if (!value) return <Loading />
  const { facts, tensors, metadata } = value
  const notes = Object.entries(metadata)
  return (
    <>
      <p className="preview dim">{facts.join(' · ')}</p>
      <RowTable
        label="Tensors"
        head={['Tensor', 'Use', 'Type', 'Shape']}
        rows={tensors.slice(0, MOST_ROWS).map(({ use, name, type, shape }) => [name, use, type, shapeText(shape)])}
      />
      {tensors.length > MOST_ROWS && (
        <p className="preview dim">
          The first {MOST_ROWS} of {counted(tensors.length, 'tensor')}. Download the file to see all.
        </p>
      )}
      {notes.length > 0 && (
        <RowTable
          label="Metadata"
          head={['Metadata', 'Value']}
          rows={notes.slice(0, MOST_ROWS).map(([name, note]) => [name, cellText(note)])}
        />
      )}
    </>
  )
}

async function describe(props: PreviewProps): Promise<Described> {
  const file = windowedFile(byteSource(props), budget)
  return props.file.path.toLowerCase().endsWith('.onnx') ? onnx(file) : safetensors(file)
}

type Windowed = ReturnType<typeof windowedFile>

async function safetensors(file: Windowed): Promise<Described> {
  const { header, tensors } = await readSafetensorsContent(file)
  return {
    facts: [counted(header.tensors, 'tensor'), counted(header.params, 'parameter')],
    tensors: tensors.map((tensor) => ({ use: 'weight', ...tensor })),
    metadata: header.metadata,
  }
}

async function onnx(file: Windowed): Promise<Described> {
  const { inputs, outputs, params, opsets, producer, irVersion, externalFiles, metadata } = await readOnnxHeader(file)
  const versions = Object.entries(opsets).map(([domain, version]) => `${domain} ${version}`)
  return {
    facts: [
      counted(params, 'parameter'),
      ...(producer === null ? [] : [`made by ${producer}`]),
      ...(irVersion === null ? [] : [`IR version ${irVersion}`]),
      `operators ${versions.join(', ') || 'not said'}`,
      ...(externalFiles.length > 0 ? [`weights in ${externalFiles.join(', ')}`] : []),
    ],
    tensors: [
      ...inputs.map((tensor) => ({ use: 'input', ...tensor })),
      ...outputs.map((tensor) => ({ use: 'output', ...tensor })),
    ],
    metadata,
  }
}

/** A size that is open is `?`. */
const shapeText = (shape: Tensor['shape']): string =>
  shape === null ? 'any' : shape.length === 0 ? 'one number' : shape.map((size) => size ?? '?').join(' × ')
