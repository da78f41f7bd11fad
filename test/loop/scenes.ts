import { conversations } from './conversations.ts'
import { runs } from './runs.ts'
import type { Scene } from './stage.ts'

interface Named {
  title: string
  /** Of its model. */
  name: string
  /** Of its recording, in this folder. */
  file: URL
  play: Scene
}

const named = (kind: string, scenes: Record<string, Scene>): Named[] =>
  Object.entries(scenes).map(([what, play]) => {
    const slug = what.replaceAll(',', '').replaceAll(' ', '-')
    const file = new URL(`recorded/${kind}/${slug}.txt`, import.meta.url)
    return { title: `${kind}, ${what}`, name: `${kind}-${slug}`, file, play }
  })

/** The scenes that are recorded, and played again. */
export const scenes: Named[] = [...named('conversations', conversations), ...named('runs', runs)]
