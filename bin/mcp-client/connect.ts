import type { PlatformClient } from './platform-client.ts'

/** Connects the address as its owner would, and returns the id of the vault entry. */
export function connect(platform: PlatformClient, { url }: { url: string; scenario: string }): Promise<string> {
  return platform.add(url)
}
