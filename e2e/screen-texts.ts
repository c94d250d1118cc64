/** What is asked and answered in the chats of pictures. */

export const SAVINGS = {
  question:
    'I put aside 200 € a month at 4 % a year. What will it be after 10, 20 and 30 years? Show me how it is worked out.',
  reasoning:
    'Monthly deposits at the end of each month, so this is an ordinary annuity. The rate per month is 0.04 / 12, and the number of deposits is 120, 240 and 360.',
  answer: `Each deposit earns interest from the day on which it is made. With the deposit $P$, the monthly rate $r$ and $n$ deposits the sum is

$$
S = P \\cdot \\frac{(1 + r)^n - 1}{r}, \\qquad r = \\frac{0.04}{12}
$$

| Years | Paid in | Interest | Sum |
| ---: | ---: | ---: | ---: |
| 10 | 24,000 € | 5,450 € | **29,450 €** |
| 20 | 48,000 € | 25,355 € | **73,355 €** |
| 30 | 72,000 € | 66,810 € | **138,810 €** |

After 30 years nearly half of it is interest. Two things are left out here:

- **Inflation.** At 2 % a year the last sum buys what about 76,600 € buy today.
- **Tax** on the interest, which depends on where you live.`,
};

export const PHOTOS = {
  question: 'Write a small Python script that sorts the photos of a folder into folders by month.',
  answer: `It reads the time at which a photo was taken and falls back to the time of the file:

\`\`\`python
from datetime import datetime
from pathlib import Path

from PIL import Image

TAKEN = 36867  # EXIF: DateTimeOriginal


def month_of(photo: Path) -> str:
    with Image.open(photo) as image:
        taken = image.getexif().get_ifd(0x8769).get(TAKEN)
    if taken:
        return datetime.strptime(taken, "%Y:%m:%d %H:%M:%S").strftime("%Y-%m")
    return datetime.fromtimestamp(photo.stat().st_mtime).strftime("%Y-%m")


for photo in sorted(Path("Photos").glob("*.jpg")):
    folder = photo.parent / month_of(photo)
    folder.mkdir(exist_ok=True)
    photo.rename(folder / photo.name)
\`\`\`

Run it with \`python sort_photos.py\` in the folder above \`Photos\`. It needs one package: \`pip install pillow\`.`,
  further: 'What happens to two photos of the same name?',
  first: 'The second one would take the place of the first on Linux and macOS.',
  second: `On Linux and macOS the second one would silently take the place of the first; on Windows the script would stop. To keep both, look for a free name first:

\`\`\`python
target = folder / photo.name
for n in range(2, 1000):
    if not target.exists():
        break
    target = folder / f"{photo.stem}-{n}{photo.suffix}"
photo.rename(target)
\`\`\``,
};

export const BREAD = {
  question: 'My sourdough bread tastes good but stays flat. What am I doing wrong?',
  answer: `Mostly it is one of three things:

1. **The starter is tired.** It should double within six hours of being fed. If it does not, feed it twice a day for three days.
2. **The dough rests too long.** Press it with a finger: if the dent stays, it is past its best.
3. **It is shaped too loosely.** The skin of the loaf has to be tight before it goes into the basket.

Start with the first; it is the usual one.`,
  further: 'Here is my whole baking diary of this year. Which weeks were the best?',
};

export const BAKERY_NAMES = {
  question: 'Five names for a small bakery by the harbour, with a word about each.',
  answer: `1. **The Morning Tide**: it opens early, and so does the harbour.
2. **Salt & Rye**: two things that are in every loaf.
3. **Lighthouse Bread**: easy to find, easy to remember.
4. **Quay Twelve**: sounds like an address, and can be one.
5. **The Slow Loaf**: for dough that takes its time.

I would take *Salt & Rye*: it is short, and works on a sign and as a stamp on a paper bag.`,
};

export const SHORT_NAMES = `- **Harbour Crumb**: small and friendly
- **Anchor & Oven**: says where and what
- **First Batch**: for those who come early
- **The Flour Boat**: a picture that stays
- **Crust**: one word, easy to say`;

export const GREENHOUSE = {
  question: 'Can I keep a small greenhouse on a balcony that faces east?',
  answer: `Yes. From the east it gets four to six hours of sun, which is enough for lettuce, herbs, radishes and most seedlings. Tomatoes and peppers will grow, but bear later and less.

Keep three things in mind: it must be tied to the wall against the wind, it needs an opening at the top on warm days, and a full watering can weighs more than one thinks.`,
};

/** Asked of the model that is just writing. */
export const EVENING = {
  question: 'Tell me a short story about a lighthouse keeper and a fox.',
  answer: `On the last rock before the open sea stood a lighthouse, and in it lived a keeper who had not spoken to anybody for so long that he had begun to say good night to the lamp.

One evening in November a fox sat on the steps. Nobody could have said how it had come across the water. The keeper put down a bowl of soup, as one does, and the fox ate it, as foxes do.

“You will want to go back with the tide,” said the keeper. The fox looked at the lamp, and then at the chair beside the stove, and then`,
};
