/** An element that is being generated, before it is written out. */
export interface Tag {
  name: string
  attributes: Record<string, string>
  children: Tag[]
}

/** Makes an element; attributes that are undefined are left out. */
export function tag(name: string, attributes: Record<string, string | undefined> = {}, children: Tag[] = []): Tag {
  const present = Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { name, attributes: Object.fromEntries(present), children }
}

/** The element and all below it, in document order, each with its parent. */
export function* walk(
  root: Tag,
  parent: Tag | null = null,
): Generator<{ readonly tag: Tag; readonly parent: Tag | null }> {
  yield { tag: root, parent }
  for (const child of root.children) yield* walk(child, root)
}

/** XML text, indented so that a failing model can be read. */
export function written({ name, attributes, children }: Tag, indent = ''): string {
  const start = `${indent}<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('')}`
  if (children.length === 0) return `${start}/>\n`
  return `${start}>\n${children.map((child) => written(child, `${indent}  `)).join('')}${indent}</${name}>\n`
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
