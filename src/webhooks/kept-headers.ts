import type { Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'
import { namesOf } from './spellings.ts'

/** Longer values are left out: a part of one could mean something else. */
const longestValue = 255

/**
 * What the sender says about its delivery in headers: those on its preset's list, by their names there, whose values are
 * printable ASCII of at most 255 characters. Undefined if it says nothing.
 */
export function keptHeaders(preset: Preset, header: ReadHeader): Record<string, string> | undefined {
  const found = preset.says.flatMap((name): [string, string][] => {
    const value = header(namesOf(preset, name).find((one) => header(one) !== undefined) ?? name)
    return value !== undefined && isKept(value) ? [[name, value]] : []
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const isKept = (value: string): boolean => value.length <= longestValue && /^[\x20-\x7e]+$/.test(value)

/** Whether the delivery only tries the address. */
export const isPing = ({ ping }: Preset, header: ReadHeader): boolean =>
  ping !== undefined && header(ping.header) === ping.value
