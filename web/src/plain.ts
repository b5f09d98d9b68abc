// Texts as they are searched: without case, accents and underscores, and with percent-encoding decoded.

const LETTERS: Record<string, string> = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i" };

export function plain(text: string): string {
  const letters = decoded(text).toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  return letters.replace(/[øłđðþßæœı]/g, (letter) => LETTERS[letter]).replace(/[\s_]+/g, " ").trim();
}

function decoded(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
