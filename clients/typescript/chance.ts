// The generator of a match, for browsers and Node: with what a proof holds it gives every draw of the match. What it does, to the byte, is written in
// engines/kit/chance.py; a test holds both to the same vectors. It is asynchronous since the browsers' SHA-256 is.
const { subtle } = globalThis.crypto;
type Bytes = ReturnType<typeof Uint8Array.from>;
const utf8 = (text: string): Bytes => Uint8Array.from(new TextEncoder().encode(text));
const joined = (...parts: Bytes[]): Bytes => Uint8Array.from(parts.flatMap((part) => [...part]));
const sha256 = async (data: Bytes): Promise<Bytes> => new Uint8Array(await subtle.digest("SHA-256", data));
const hmac = async (key: Bytes, data: Bytes): Promise<Bytes> =>
  new Uint8Array(await subtle.sign("HMAC", await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]), data));

export const fromHex = (hex: string): Bytes => Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
export const toHex = (bytes: Bytes): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const commitment = async (seed: Bytes): Promise<string> => toHex(await sha256(seed)); // Match.seed_commitment
export const matchKey = async (seed: Bytes, clientSeeds: string[] = []): Promise<Bytes> =>
  hmac(seed, joined(utf8("umpire/1"), ...(await Promise.all(clientSeeds.map((text) => sha256(utf8(text)))))));

export class Generator {
  key: Bytes;
  position = 0; // blocks taken so far
  constructor(key: Bytes) {
    this.key = key;
  }
  below = async (bound: number): Promise<number> => Number(await this.draw(BigInt(bound)));
  async draw(bound: bigint): Promise<bigint> {
    for (;;) {
      const counter = new DataView(new ArrayBuffer(8));
      counter.setBigUint64(0, BigInt(this.position++));
      const value = new DataView((await hmac(this.key, new Uint8Array(counter.buffer))).buffer).getBigUint64(0);
      if (value < 2n ** 64n - (2n ** 64n % bound)) return value % bound;
    }
  }
  async shuffle<T>(items: T[]): Promise<T[]> {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const index = await this.below(last + 1);
      [shuffled[last], shuffled[index]] = [shuffled[index], shuffled[last]];
    }
    return shuffled;
  }
}
