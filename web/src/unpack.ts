// The inverse of src/honem/explore/packing.py.

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array | Int32Array | Float32Array | Float64Array;

export interface Part {
  values: any;
  arrays: Record<string, Numbers>;
}

const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

/** A part of the page's data: from the page itself, or from its server. */
export async function readPart(name: string): Promise<Part> {
  const block = document.getElementById(`part-${name}`);
  const packed = block ? fromBase64(block.textContent ?? "") : await fetchPart(name);
  block?.remove(); // the text is no longer needed, and large
  return unpack(new Uint8Array(await inflate(packed)));
}

async function fetchPart(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`data/${name}`);
  if (!answer.ok) throw new Error(`the server has no part ${name}`);
  return new Uint8Array(await answer.arrayBuffer());
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

function unpack(bytes: Uint8Array): Part {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const arrays: Record<string, Numbers> = {};
  let place = 4 + length;
  for (const [name, [kind, size]] of Object.entries(header.arrays) as [string, [keyof typeof KINDS, number]][]) {
    const array = new KINDS[kind](size);
    const target = new Uint8Array(array.buffer);
    const width = array.BYTES_PER_ELEMENT;
    for (let plane = 0; plane < width; plane++, place += size)
      for (let i = 0; i < size; i++) target[i * width + plane] = bytes[place + i];
    arrays[name] = array;
  }
  return { values: header.values, arrays };
}
