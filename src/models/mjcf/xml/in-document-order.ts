import type { XmlElement } from './element.ts'

/** The element and all below it, parents first. Takes neither a call a level nor an argument a child: both can be a hundred thousand. */
export function* inDocumentOrder(root: XmlElement): Generator<XmlElement> {
  const open = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    yield element
    for (let at = element.children.length - 1; at >= 0; at -= 1) open.push(element.children[at] as XmlElement)
  }
}
