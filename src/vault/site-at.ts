import type { DialectName } from '../sites/dialects/dialect-name.ts'

/** A site as somebody writes it down: its kind, and an address that it is found at. */
export interface SiteAddress {
  dialect: DialectName
  address: string
}

/** The keys that sites at an address can have, without fragments: the address itself, or its origin. */
export function keysAt(address: string): string[] {
  const { href, origin } = new URL(address)
  return [withoutFragment(href), origin]
}

/** Whether an entry of the vault is for the site. The fragment of a key says which of the sites at one address it is. */
export const isSiteAt = (entry: { dialect: DialectName; origin: string }, { dialect, address }: SiteAddress): boolean =>
  entry.dialect === dialect && keysAt(address).includes(withoutFragment(entry.origin))

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '')
