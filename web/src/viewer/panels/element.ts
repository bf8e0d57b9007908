/** Elements of a page, in one line each. */
import { viewerLimits } from '../limits.ts'

type Child = Node | string

/**
 * An element with attributes and children; an attribute of `true` is set without a value, one of `false` or null is
 * left out.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | boolean | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== false && value !== null) made.setAttribute(name, value === true ? '' : String(value))
  made.append(...children)
  return made
}

let made = 0

/** An id that no other element of the page has. */
export function freshId(): string {
  made += 1
  return `viewer-${made}`
}

/** A number in so few digits that people read it: three after the point, fewer for large ones. */
export function told(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const rounded = Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(3)
  return /^-0\.?0*$/.test(rounded) ? rounded.slice(1) : rounded
}

/** Says how many rows a panel leaves out; nothing where it has them all. */
export function unlisted(count: number): HTMLElement[] {
  const more = count - viewerLimits.rows
  return more <= 0 ? [] : [element('p', {}, `… and ${more} more that are not listed.`)]
}
