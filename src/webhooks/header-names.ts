import type { Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'

/** The header's name in the sender's other spelling, if any. */
function otherName({ otherNames }: Pick<Preset, 'otherNames'>, name: string): string | undefined {
  const [here, there] = otherNames ?? []
  if (here === undefined || there === undefined || !name.startsWith(here)) return undefined
  return there + name.slice(here.length).toLowerCase()
}

/** All names of a sender's header, the preset's own first. */
export const namesOf = (preset: Pick<Preset, 'otherNames'>, name: string): string[] =>
  [name, otherName(preset, name)].filter((one) => one !== undefined)

/** The preset in each spelling that the request uses. If it uses none, the preset itself. */
export function presetsSent(preset: Preset, header: ReadHeader): Preset[] {
  const sent = [preset, ...alternativePreset(preset)].filter((one) => header(one.header) !== undefined)
  return sent.length > 0 ? sent : [preset]
}

function alternativePreset(preset: Preset): Preset[] {
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
