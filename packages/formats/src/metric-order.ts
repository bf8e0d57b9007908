/** Which metrics of a run come first where people read them. Pure. */

/** Of the machine that trains, not of the training. */
export const isOfMachine = (key: string): boolean => key.startsWith('system/')

/** The same in their order, those of the machine last. */
export function machineLast<T extends { readonly key: string }>(metrics: readonly T[]): T[] {
  return [...metrics.filter(({ key }) => !isOfMachine(key)), ...metrics.filter(({ key }) => isOfMachine(key))]
}
