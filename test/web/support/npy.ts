/** A NumPy array file of zeros, as `numpy.save` writes it: its header ends at a multiple of 64 bytes. */
export function npy(type: string, shape: readonly number[], elementBytes: number): Buffer {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${sizes}), }`
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`
  const head = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 0, 0])
  head.writeUInt16LE(padded.length, 8)
  const elements = shape.reduce((product, size) => product * size, 1)
  return Buffer.concat([head, Buffer.from(padded), Buffer.alloc(elements * elementBytes)])
}
