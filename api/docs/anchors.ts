/** The anchor that GitHub gives a heading. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Makes the anchors of one page. The second heading with the same title gets `-1`, the third `-2`. */
export function createAnchors(): (title: string) => string {
  const taken = new Set<string>()
  return (title) => {
    const plain = anchorOf(title)
    let anchor = plain
    for (let count = 1; taken.has(anchor); count += 1) anchor = `${plain}-${count}`
    taken.add(anchor)
    return anchor
  }
}
