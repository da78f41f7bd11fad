import type { Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'
import { namesOf } from './header-names.ts'

/** Longer values are dropped, because a truncated one could mean something else. */
const longestValue = 255

/**
 * The sender's headers about its delivery: those on its preset's list, under the preset's names, with printable ASCII
 * values of at most 255 characters. Undefined if there are none.
 */
export function keptHeaders(preset: Preset, header: ReadHeader): Record<string, string> | undefined {
  const found = preset.infoHeaders.flatMap((name): [string, string][] => {
    const value = header(namesOf(preset, name).find((one) => header(one) !== undefined) ?? name)
    return value !== undefined && isKept(value) ? [[name, value]] : []
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const isKept = (value: string): boolean => value.length <= longestValue && /^[\x20-\x7e]+$/.test(value)

/** Whether the delivery only tests the address. */
export const isPing = ({ ping }: Preset, header: ReadHeader): boolean =>
  ping !== undefined && header(ping.header) === ping.value
