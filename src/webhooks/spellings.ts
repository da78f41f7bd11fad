import type { Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'

/** The header's name in the sender's other spelling; undefined if there is none. */
function otherName({ otherNames }: Pick<Preset, 'otherNames'>, name: string): string | undefined {
  const [here, there] = otherNames ?? []
  if (here === undefined || there === undefined || !name.startsWith(here)) return undefined
  return there + name.slice(here.length).toLowerCase()
}

/** The names under which a sender may say the same, its own first. */
export const namesOf = (preset: Pick<Preset, 'otherNames'>, name: string): string[] =>
  [name, otherName(preset, name)].filter((one) => one !== undefined)

/** The same proof, in each spelling in which the request has one. If it has none, the one that it should have. */
export function spelled(preset: Preset, header: ReadHeader): Preset[] {
  const sent = [preset, ...respelled(preset)].filter((one) => header(one.header) !== undefined)
  return sent.length > 0 ? sent : [preset]
}

function respelled(preset: Preset): Preset[] {
  const { signature } = preset
  const header = otherName(preset, preset.header)
  if (header === undefined || !signature) return []
  const to = (name: string): string => otherName(preset, name) ?? name
  const { idHeader, timestamp } = signature
  return [
    {
      ...preset,
      header,
      signature: {
        ...signature,
        ...(idHeader !== undefined && { idHeader: to(idHeader) }),
        ...(timestamp && { timestamp: 'header' in timestamp ? { header: to(timestamp.header) } : timestamp }),
      },
    },
  ]
}
