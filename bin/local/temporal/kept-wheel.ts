import { existsSync } from 'node:fs'
import { refuseOther, sha256Of } from './listed-hash.ts'
import { ownPlatform, type WheelHashes } from './wheels.ts'

type Wheels = Record<string, WheelHashes>

/** Whether the program that an earlier start took from a wheel is there, with its listed hash. */
export async function isListed(program: string, wheels: Wheels): Promise<boolean> {
  return (await sha256Of(program).catch(() => 'unreadable')) === wheels[ownPlatform]?.program
}

/** Removes such a program if it has another hash, and says so. Only under the lock: another start may be renewing it. */
export async function removeOther(program: string, wheels: Wheels, say: (text: string) => void): Promise<void> {
  const expected = wheels[ownPlatform]?.program
  if (expected === undefined || !existsSync(program)) return
  try {
    await refuseOther('kept program from the wheel', program, expected)
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  }
}
