#include "index/forest.hpp"

#include <algorithm>

#include "index/forest_split.hpp"
#include "kernels/kernels.hpp"

namespace boxwise {

using std::size_t;
using std::uint32_t;

namespace {
constexpr size_t LANES = lanes::COUNT;

void lower(double& bound, const double* values, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) bound = values[i] < bound ? values[i] : bound;
}
void raise(double& bound, const double* values, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) bound = values[i] > bound ? values[i] : bound;
}
// The bits of a word that are in these places, moved together.
Word gathered(Word word, Word places) {
  Word bits = 0;
  for (Word rest = word & places; rest != 0; rest &= rest - 1) {
    const Word lowest = rest & (~rest + 1);
    bits |= Word{1} << std::popcount(places & (lowest - 1));
  }
  return bits;
}
}  // namespace

ValueRows::ValueRows(const std::vector<size_t>& counts) : begin_{0} {
  for (const size_t count : counts) begin_.push_back(begin_.back() + count);
}

Word LeafColumns::values(size_t j, size_t lane) const {
  const Word* row = value_masks() + rows->begin(j);
  Word held = 0;
  for (size_t value = 0; value < rows->count(j); ++value) held |= (row[value] >> lane & 1) << value;
  return held;
}

void LeafColumns::add_values(size_t lane, const std::vector<Word>& values) {
  for (size_t j = 0; j < rows->features(); ++j)
    for (Word left = values[j]; left != 0; left &= left - 1)
      value_masks()[rows->begin(j) + static_cast<size_t>(std::countr_zero(left))] |=
          Word{1} << lane;
}

void LeafColumns::add_values(size_t lane, const LeafColumns& from, Word of) {
  Word* own = value_masks();
  const Word* theirs = from.value_masks();
  for (size_t row = 0; row < rows->all(); ++row) own[row] |= Word{(theirs[row] & of) != 0} << lane;
}

void LeafColumns::clear_values(size_t lane) {
  Word* own = value_masks();
  for (size_t row = 0; row < rows->all(); ++row) own[row] &= ~(Word{1} << lane);
}

void LeafColumns::copy(size_t lane, const LeafColumns& from, size_t of) {
  items[lane] = from.items[of];
  for (size_t i = 0; i < numbers_.size(); i += LANES) numbers_[i + lane] = from.numbers_[i + of];
  for (size_t i = 0; i + rows->all() < words_.size(); i += LANES)
    words_[i + lane] = from.words_[i + of];
  for (size_t i = 0; i < quantized_.size(); i += LANES)
    quantized_[i + lane] = from.quantized_[i + of];
  for (size_t i = 0; i < shares_.size(); i += LANES) shares_[i + lane] = from.shares_[i + of];
}

void LeafColumns::put_shares(size_t lane, const CategorySummary& box) {
  if (box.has_all_shares)
    for (size_t i = lane; i < shares_.size(); i += LANES) shares_[i] = 0;
  raise_shares(lane, box);
}

void LeafColumns::raise_shares(size_t lane, const CategorySummary& box) {
  for (const auto [row, most] : box.shares) {
    std::uint8_t& known = shares_[row * LANES + lane];
    known = std::max(known, most);
  }
}

void LeafColumns::gather_shares(size_t lane, const LeafColumns& from) {
  for (size_t begin = 0; begin < shares_.size(); begin += LANES) {
    const std::uint8_t* row = from.shares_.data() + begin;
    std::uint8_t most = 0;
    for (size_t i = 0; i < from.count; ++i) most = std::max(most, row[i]);
    shares_[begin + lane] = most;
  }
}

void LeafColumns::move_last(size_t lane) {
  const size_t last = --count;
  clear_values(lane);
  if (lane == last) return;
  copy(lane, *this, last);
  add_values(lane, *this, Word{1} << last);
  clear_values(last);
}

void LeafColumns::divide(Word left, LeafColumns& to) {
  const Word right = alive() & ~left;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool stays = (left >> i & 1) != 0;
    (stays ? *this : to).copy(stays ? kept++ : to.count++, *this, i);
  }
  count = kept;
  for (size_t row = 0; row < rows->all(); ++row) {
    Word& own = value_masks()[row];
    to.value_masks()[row] = gathered(own, right);
    own = gathered(own, left);
  }
}

// Makes a lane the summary of nothing, in which no search finds anything.
void Forest::Summary::clear(size_t lane) {
  for (size_t j = 0; j < n; ++j) {
    numbers(j)[lane] = numbers(3 * n + j)[lane] = UNSET;
    numbers(n + j)[lane] = numbers(2 * n + j)[lane] = -UNSET;
  }
  clear_values(lane);
  for (size_t column = 0; column < 4; ++column) words(column)[lane] = 0;
  words(1)[lane] = CategorySummary::MIXED;
}

void Forest::Summary::include(size_t lane, const Leaf& from, size_t begin, size_t end) {
  for (size_t j = 0; j < n; ++j) {
    const double *V = from.numbers(j), *W = from.numbers(n + j);
    raise(numbers(2 * n + j)[lane], V, begin, end);
    lower(numbers(3 * n + j)[lane], W, begin, end);
    for (size_t i = begin; i < end; ++i) {  // a feature never seen is near everywhere
      const bool unset = V[i] > W[i];
      const double low = unset ? -UNSET : V[i], high = unset ? UNSET : W[i];
      numbers(j)[lane] = std::min(numbers(j)[lane], low);
      numbers(n + j)[lane] = std::max(numbers(n + j)[lane], high);
    }
  }
  for (size_t i = begin; i < end; ++i) {
    const Word signature = from.signatures()[i];
    words(0)[lane] = std::max(words(0)[lane], from.allowed()[i]);
    words(1)[lane] &= signature & CategorySummary::MIXED;
    words(2)[lane] |= signature & CategorySummary::MIXED;
    words(3)[lane] |= CategorySummary::bloom(signature);
  }
}

void Forest::Summary::include(size_t lane, const Summary& from, size_t begin, size_t end) {
  for (size_t j = 0; j < n; ++j) {
    lower(numbers(j)[lane], from.numbers(j), begin, end);
    raise(numbers(n + j)[lane], from.numbers(n + j), begin, end);
    raise(numbers(2 * n + j)[lane], from.numbers(2 * n + j), begin, end);
    lower(numbers(3 * n + j)[lane], from.numbers(3 * n + j), begin, end);
  }
  for (size_t i = begin; i < end; ++i) {
    words(0)[lane] = std::max(words(0)[lane], from.allowed()[i]);
    words(1)[lane] &= from.all_mixed()[i];
    words(2)[lane] |= from.some_mixed()[i];
    words(3)[lane] |= from.blooms()[i];
  }
}

uint32_t Forest::find_leaf(const Group& g, Slot slot, const CategorySummary& box) {
  if (nodes_.empty()) {
    nodes_.push_back({});
    nodes_[0].leaf = new_leaf(new_page(0), 0);
  }
  const Node* node = &nodes_[0];
  while (node->left != 0) {
    const Rule& rule = node->rule;
    const bool left = rule.categorical ? (box.masks[rule.j] & rule.values) != 0
                                       : g.V[rule.j][slot] + g.W[rule.j][slot] < rule.threshold;
    node = &nodes_[left ? node->left : node->right];
  }
  return node->leaf;
}

Forest::Address Forest::add(uint32_t l, const Group& g, Slot slot, const CategorySummary& box) {
  Leaf& leaf = leaves_[l];
  const size_t lane = leaf.count++;
  leaf.items[lane] = slot;
  write(leaf, lane, g, box);
  return address(l, lane);
}

void Forest::update(Address at, const Group& g, const CategorySummary& box) {
  write(leaves_[at / LANES], at % LANES, g, box);
}

void Forest::write(Leaf& leaf, size_t lane, const Group& g, const CategorySummary& box) {
  const Slot slot = leaf.items[lane];
  for (size_t j = 0; j < n_; ++j) {
    leaf.numbers(j)[lane] = g.V[j][slot];
    leaf.numbers(n_ + j)[lane] = g.W[j][slot];
  }
  if (has_quantized_) g.quantized.read(slot, leaf.quantized() + lane, LANES);
  if (leaf.has_shares()) {
    leaf.put_shares(lane, box);
    if (box.has_all_shares)
      pages_[leaf.page].gather_shares(leaf.lane, leaf);
    else
      pages_[leaf.page].raise_shares(leaf.lane, box);
  }
  leaf.add_values(lane, box.masks);
  pages_[leaf.page].add_values(leaf.lane, box.masks);
  superpages_[leaf.page / LANES].add_values(leaf.page % LANES, box.masks);
  leaf.words(0)[lane] = box.allowed;
  leaf.words(1)[lane] = box.signature;
  leaf.words(2)[lane] = box.factors;
  widen(leaf, lane, lane + 1);
}

void Forest::quantize(Address at, const Group& g) {
  Leaf& leaf = leaves_[at / LANES];
  const size_t lane = at % LANES;
  if (has_quantized_) g.quantized.read(leaf.items[lane], leaf.quantized() + lane, LANES);
}

void Forest::widen(const Leaf& leaf, size_t begin, size_t end) {
  Page& page = pages_[leaf.page];
  page.include(leaf.lane, leaf, begin, end);
  superpages_[leaf.page / LANES].include(leaf.page % LANES, page, leaf.lane, leaf.lane + 1);
}

// As it is, after it has lost boxes.
void Forest::summarise(Leaf& leaf) {
  leaf.lost = 0;
  Page& page = pages_[leaf.page];
  page.clear(leaf.lane);
  page.add_values(leaf.lane, leaf, leaf.alive());
  if (leaf.has_shares()) page.gather_shares(leaf.lane, leaf);
  widen(leaf, 0, leaf.count);
}

void Forest::summarise_page(uint32_t p) {
  Summary& superpage = superpages_[p / LANES];
  superpage.clear(p % LANES);
  superpage.add_values(p % LANES, pages_[p], pages_[p].alive());
  superpage.include(p % LANES, pages_[p], 0, pages_[p].count);
}

// Returns whether the last box of the leaf has taken its place. A summary that is wider than what is
// left costs a look now and then, less than making it anew for each box.
bool Forest::drop(Address at) {
  constexpr size_t PART = 8;
  Leaf& leaf = leaves_[at / LANES];
  leaf.move_last(at % LANES);
  if (++leaf.lost * PART > leaf.count) summarise(leaf);
  return at % LANES != leaf.count;
}

uint32_t Forest::new_leaf(uint32_t p, uint32_t node) {
  const auto l = static_cast<uint32_t>(leaves_.size());
  Leaf& leaf = leaves_.emplace_back(n_, *rows_, has_quantized_, shares_);
  Page& page = pages_[p];
  leaf.page = p;
  leaf.lane = static_cast<uint32_t>(page.count++);
  leaf.node = node;
  page.items[leaf.lane] = l;
  page.clear(leaf.lane);
  if (page.count == capacity_) full_ = p;
  return l;
}

uint32_t Forest::new_page(uint32_t root) {
  const auto p = static_cast<uint32_t>(pages_.size());
  if (p % LANES == 0) superpages_.emplace_back(n_, *rows_);
  pages_.emplace_back(n_, *rows_, shares_).root = root;
  superpages_.back().clear(superpages_.back().count++);
  return p;
}

// Half of the boxes move to a new leaf.
uint32_t Forest::split(uint32_t l, const Splitting& splitting) {
  if (pages_[leaves_[l].page].count == capacity_) split_page(leaves_[l].page);
  const Splitter splitter(leaves_[l], splitting);
  const auto node = leaves_[l].node;
  const auto left = static_cast<uint32_t>(nodes_.size());
  nodes_.insert(nodes_.end(), 2, Node{});
  const uint32_t other = new_leaf(leaves_[l].page, left + 1);
  nodes_[node].rule = splitter.rule;
  nodes_[node].left = left;
  nodes_[node].right = left + 1;
  nodes_[left].leaf = l;
  nodes_[left + 1].leaf = other;
  Leaf &from = leaves_[l], &to = leaves_[other];
  from.node = left;
  from.divide(splitter.left, to);
  summarise(from);
  summarise(to);
  return other;
}

// The right part of its tree gets a page of its own.
void Forest::split_page(uint32_t p) {
  if (p == full_) full_ = NONE;
  const Node& root = nodes_[pages_[p].root];
  const uint32_t other = new_page(root.right);
  Page &from = pages_[p], &to = pages_[other];
  from.root = root.left;
  std::vector<uint32_t> nodes{root.right};
  Word moved = 0;
  while (!nodes.empty()) {
    const Node& node = nodes_[nodes.back()];
    nodes.pop_back();
    if (node.left != 0) {
      nodes.push_back(node.left);
      nodes.push_back(node.right);
      continue;
    }
    moved |= Word{1} << leaves_[node.leaf].lane;
  }
  from.divide(from.alive() & ~moved, to);
  for (const uint32_t part : {p, other}) {
    for (size_t i = 0; i < pages_[part].count; ++i) {
      Leaf& leaf = leaves_[pages_[part].items[i]];
      leaf.page = part;
      leaf.lane = static_cast<uint32_t>(i);
    }
    summarise_page(part);
  }
}

size_t Forest::bytes() const {
  size_t total = nodes_.size() * sizeof(Node);
  for (const Leaf& leaf : leaves_) total += sizeof(Leaf) + leaf.bytes();
  for (const Page& page : pages_) total += sizeof(Page) + page.bytes();
  for (const Summary& superpage : superpages_) total += sizeof(Summary) + superpage.bytes();
  return total;
}

}  // namespace boxwise
