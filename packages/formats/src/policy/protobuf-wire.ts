/**
 * The wire format of Protocol Buffers over a file: fields are identified by their positions, and a value is read only
 * on request.
 */
import { FormatFault } from './format-fault.ts'
import type { WindowedFile } from './windowed-file.ts'

/** Bytes of the file. */
interface Span {
  readonly start: number
  readonly end: number
}

export interface Field extends Span {
  /** As the message's schema numbers it. */
  readonly number: number
  /** Of a number (`varint`); null for length-delimited fields (`bytes`) and fixed widths. */
  readonly value: bigint | null
  readonly kind: 'varint' | 'fixed' | 'bytes'
}

/** All texts of a header together: names are kept. The largest public policies have 2 MiB. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

/** Fields between two turns of the event loop, about 5 ms: a hub answers others meanwhile. */
const FIELDS_A_TURN = 10_000

export interface WireReader {
  /**
   * The fields of the message in `span`, in order. Throws a `FormatFault` where it is broken or the file has too many
   * of them.
   */
  fields(span: Span): AsyncGenerator<Field>
  /** The numbers of a repeated field, packed or not; of more than `most` one more than that. */
  numbers(field: Field, most: number): Promise<bigint[]>
  text(field: Field): Promise<string>
}

/** `maxFields`: for the entire file, since a field may be two bytes long. */
export function wireReader(file: WindowedFile, maxFields: number): WireReader {
  let left = maxFields
  let textLeft = MAX_TEXT_BYTES
  /** Null unless it is time for others. */
  const spend = (): Promise<void> | null => {
    left -= 1
    if (left < 0) throw new FormatFault(`It has more than ${maxFields} fields.`)
    return left % FIELDS_A_TURN === 0 ? file.rest() : null
  }
  return {
    async *fields({ start, end }) {
      let at = start
      while (at < end) {
        const turn = spend()
        if (turn) await turn
        const held = file.hold(at, Math.min(end, at + MAX_HEAD_BYTES))
        if (held) await held
        const field = fieldAt(file, at, end)
        yield field
        at = field.end
      }
    },
    async numbers({ start, end, value, kind }, most) {
      if (value !== null) return [value]
      if (kind !== 'bytes') throw new FormatFault('A number has the wrong type.')
      const found: bigint[] = []
      for (let at = start; at < end && found.length <= most; ) {
        const turn = spend()
        if (turn) await turn
        const held = file.hold(at, Math.min(end, at + MAX_VARINT_BYTES))
        if (held) await held
        const next = readVarint(file, at, end)
        found.push(next.value)
        at = next.end
      }
      return found
    },
    async text({ start, end, kind }) {
      if (kind !== 'bytes') throw new FormatFault('A text has the wrong type.')
      textLeft -= end - start
      if (textLeft < 0) throw new FormatFault(`Its names and texts are over ${MAX_TEXT_BYTES} bytes.`)
      await file.hold(start, end)
      // No report can keep a NUL.
      return new TextDecoder().decode(file.read(start, end)).replaceAll('\0', '\ufffd')
    },
  }
}

const MAX_VARINT_BYTES = 10
/** A tag, and a value or a length. */
const MAX_HEAD_BYTES = 2 * MAX_VARINT_BYTES

/** Its head is held. */
function fieldAt(file: WindowedFile, at: number, end: number): Field {
  const tag = readVarint(file, at, end)
  const number = Number(tag.value >> 3n)
  if (number < 1 || number >= 2 ** 29) throw new FormatFault('A field has no valid number.')
  switch (Number(tag.value & 7n)) {
    case 0: {
      const value = readVarint(file, tag.end, end)
      return { number, kind: 'varint', value: value.value, start: tag.end, end: value.end }
    }
    case 1:
      return spanned({ number, kind: 'fixed', start: tag.end, lengthBytes: 8n, end })
    case 2: {
      const length = readVarint(file, tag.end, end)
      return spanned({ number, kind: 'bytes', start: length.end, lengthBytes: length.value, end })
    }
    case 5:
      return spanned({ number, kind: 'fixed', start: tag.end, lengthBytes: 4n, end })
    // Groups (3, 4) would nest without a length to skip by; no schema of today has them.
    default:
      throw new FormatFault('A field has a type that is not read.')
  }
}

function spanned({
  number,
  kind,
  start,
  lengthBytes,
  end,
}: {
  readonly number: number
  readonly kind: Field['kind']
  readonly start: number
  readonly lengthBytes: bigint
  readonly end: number
}): Field {
  if (lengthBytes > BigInt(end - start)) throw new FormatFault('It ends in the middle of a field.')
  return { number, kind, value: null, start, end: start + Number(lengthBytes) }
}

/** 64 bits, unsigned. */
function readVarint(file: WindowedFile, start: number, end: number): { value: bigint; end: number } {
  const bytes = file.read(start, Math.min(end, start + MAX_VARINT_BYTES))
  let value = 0n
  for (const [place, byte] of bytes.entries()) {
    value |= BigInt(byte & 0x7f) << BigInt(7 * place)
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: start + place + 1 }
  }
  throw new FormatFault('It ends in the middle of a number.')
}
